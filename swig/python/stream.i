// SPDX-License-Identifier: Apache-2.0
// Streams: cmm's own, numbers, and whatever the package's reader of foreign streams understands.
%typemap(in) stream_code {
    if (!cmm_python::stream_in($input, "stream", $1)) SWIG_fail;
}
