// SPDX-License-Identifier: Apache-2.0
// Sequences. One object stands for itself; a list, tuple or other sequence for its elements.
%{
#include "spans.hpp"
%}
%typemap(in) std::span<const target_code> (cmm_python::targets_in elements) {
    if (!elements.read($input, "$1_name", true)) SWIG_fail;
    $1 = elements.span();
}
%typemap(in) std::span<const target_code> srcs (cmm_python::targets_in elements),
             std::span<const target_code> dsts (cmm_python::targets_in elements) {
    if (!elements.read($input, "$1_name", false)) SWIG_fail;
    $1 = elements.span();
}
%typemap(in) (std::span<const location_code> where, bool paired) (cmm_python::locations_in elements) {
    if (!elements.read($input, "$symname")) SWIG_fail;
    $1 = elements.span();
    $2 = elements.paired();
}
%typemap(in) std::span<const location_code> wanted (cmm_python::locations_in elements) {
    if (!elements.read_set($input, "accessed_by")) SWIG_fail;
    $1 = elements.span();
}
%typemap(in) (std::span<const copy_options_code> options, bool per_copy) (cmm_python::copy_options_in elements) {
    if (!elements.read($input)) SWIG_fail;
    $1 = elements.span();
    $2 = elements.per_copy();
}
%typemap(in) std::span<const std::uint64_t> sizes (cmm_python::sizes_in elements) {
    if (!elements.read($input)) SWIG_fail;
    $1 = elements.span();
}
// None, or (strategy, hints) as numbers.
%typemap(in) options_code {
    if ($input != Py_None && !PyArg_ParseTuple($input, "ii", &$1.strategy, &$1.hints)) SWIG_fail;
}
%typemap(out) std::vector<handle>, std::vector<cmm::boundary::handle> {
    $result = PyList_New(static_cast<Py_ssize_t>($1.size()));
    for (std::size_t i = 0; $result && i < $1.size(); ++i)
        PyList_SET_ITEM($result, static_cast<Py_ssize_t>(i), PyLong_FromUnsignedLongLong($1[i]));
    if (!$result) SWIG_fail;
}
