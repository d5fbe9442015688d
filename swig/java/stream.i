// SPDX-License-Identifier: Apache-2.0
// Streams: one of cmm crosses as its handle, a foreign one as the complement of its CUstream, which is negative.
%fragment("cmm_java_streams", "header") %{
namespace {

stream_code as_stream_code(jlong code) noexcept {
    if (code < 0)
        return {0, static_cast<std::uint64_t>(~code)};
    return {static_cast<handle>(code), 0};
}

} // namespace
%}
%typemap(jni) stream_code "jlong"
%typemap(jtype) stream_code "long"
%typemap(jstype) stream_code "long"
%typemap(javain) stream_code "$javainput"
%typemap(in, fragment="cmm_java_streams") stream_code %{ $1 = as_stream_code($input); %}
