// SPDX-License-Identifier: Apache-2.0
// Streams: one of cmm crosses as its handle, a foreign one as the complement of its CUstream, which is negative.
%{
namespace {

stream_code as_stream_code(long long code) noexcept {
    if (code < 0)
        return {0, static_cast<std::uint64_t>(~code)};
    return {static_cast<handle>(code), 0};
}

} // namespace
%}
%typemap(ctype) stream_code "long long"
%typemap(imtype) stream_code "long"
%typemap(cstype) stream_code "long"
%typemap(csin) stream_code "$csinput"
%typemap(in) stream_code %{ $1 = as_stream_code($input); %}
