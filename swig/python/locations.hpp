// SPDX-License-Identifier: Apache-2.0
// Locations between Python and cmm. The package interns them; the usual ones are found here again without it.
#pragma once

namespace cmm_python {

inline bool location_in(PyObject* o, const char* what, bool none_is_allowed, location_code& out) noexcept {
    if (o == Py_None && none_is_allowed) {
        out = {};
        return true;
    }
    const auto* const l = as<LocationBase>(o);
    if (!l) {
        refuse_type(what, -1, none_is_allowed ? "a Device, a Host or None" : "a Device or Host", o);
        return false;
    }
    out = {l->kind_, l->id_};
    return true;
}

// New reference.
inline PyObject* location_out(const location_code& l) noexcept {
    constexpr int known_ids = 64;
    static PyObject* known[5][known_ids];
    if (l.kind == 0)
        Py_RETURN_NONE;
    const bool usual = l.kind > 0 && l.kind < 5 && l.id >= 0 && l.id < known_ids;
    if (usual && known[l.kind][l.id])
        return Py_NewRef(known[l.kind][l.id]);
    PyObject* const made = PyObject_CallFunction(location_factory, "ii", l.kind, l.id);
    if (made && usual)
        known[l.kind][l.id] = Py_NewRef(made);
    return made;
}

} // namespace cmm_python
