// SPDX-License-Identifier: Apache-2.0
%{
#include "errors.hpp"
%}
// Any driver call can block, so that the lock is released round every one.
%exception {
    try {
        const cmm_python::unlocked nobody_waits;
        $action
    } catch (...) {
        cmm_python::raise_current();
        SWIG_fail;
    }
}
%allowexception;
// Fields of values need neither the driver nor the lock's release.
%define CMM_FIELD(NAME)
%exception NAME "$action"
%enddef
CMM_FIELD(cmm::report::ranges_in)
CMM_FIELD(cmm::report::ranges_out)
CMM_FIELD(cmm::report::calls)
CMM_FIELD(cmm::report::bytes)
CMM_FIELD(cmm::report::entry)
CMM_FIELD(cmm::report::reason)
CMM_FIELD(cmm::report::ignored)
CMM_FIELD(cmm::report::strategy)
CMM_FIELD(cmm::report::~report)
CMM_FIELD(cmm::accessor_set::devices)
CMM_FIELD(cmm::accessor_set::host)
CMM_FIELD(cmm::accessor_set::~accessor_set)
CMM_FIELD(cmm::boundary::close)
CMM_FIELD(cmm::boundary::is_open)
%exception set_error_factory "$action"
%inline %{
// The function that makes exceptions: (kind, message, argument, index, other_index, code, name, entry, issued).
PyObject* set_error_factory(PyObject* factory) { return cmm_python::keep(cmm_python::error_factory, factory); }
%}
