// SPDX-License-Identifier: Apache-2.0
// Streams on their way in.
#pragma once

namespace cmm_python {

inline bool stream_in(PyObject* o, const char* what, stream_code& out) noexcept {
    if (const auto* const s = as<StreamBase>(o)) {
        out = {s->h, s->raw};
        return true;
    }
    PyObject* number = PyLong_CheckExact(o) ? Py_NewRef(o) : PyObject_CallOneArg(stream_reader, o);
    if (!number)
        return false;
    out.own = 0;
    const bool good = whole_unsigned(number, what, out.raw);
    Py_DECREF(number);
    return good;
}

// The driver's number of a Stream. Throws closed.
inline std::uint64_t stream_number(PyObject* o) {
    const auto* const s = need<StreamBase>(o, "self");
    if (!s)
        return 0;
    return s->h ? cmm::boundary::stream_raw(s->h) : s->raw;
}

} // namespace cmm_python
