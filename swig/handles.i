// SPDX-License-Identifier: Apache-2.0
// One type under seven names: what a handle stands for shows in a declaration, and a language's typemaps tell
// them apart.
%{
using cmm::boundary::handle;
using buffer_handle = handle;
using resource_handle = handle;
using stream_handle = handle;
using event_handle = handle;
using plan_handle = handle;
using view_handle = handle;
using cmm::boundary::copy_options_code;
using cmm::boundary::location_code;
using cmm::boundary::options_code;
using cmm::boundary::stream_code;
using cmm::boundary::target_code;
%}
