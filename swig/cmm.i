// SPDX-License-Identifier: Apache-2.0
// What every language wraps: cmm.boundary, whose declarations stand once in the files below. SWIG cannot read
// modules, so they are restated; the compiler checks each wrapped call against the module itself. What
// differs between languages comes from the folder on the include path.
%module cmm

// A file that imports modules includes first: all of the standard library that wrappers use.
%begin %{
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>
%}
%include "language.i"
%{
import cmm.boundary;
import cmm.context;
%}
%include "handles.i"
%include "errors.i"
%include "lifetime.i"
%include "location.i"
%include "stream.i"
%include "spans.i"

%include "values.i"
%include "driver.i"
%include "streams.i"
%include "buffers.i"
%include "advice.i"
%include "ops.i"
%include "plans.i"
