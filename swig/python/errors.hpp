// SPDX-License-Identifier: Apache-2.0
// Errors on their way into Python, and the interpreter's lock.
#pragma once

namespace cmm_python {

// Releases the interpreter's lock for a scope.
class unlocked {
public:
    unlocked() noexcept : state_(PyEval_SaveThread()) {}
    ~unlocked() { PyEval_RestoreThread(state_); }
    unlocked(const unlocked&) = delete;
    unlocked& operator=(const unlocked&) = delete;

private:
    PyThreadState* state_;
};

// Thrown through C++ where Python's error is already set.
struct python_error {};

inline PyObject* error_factory = nullptr;
inline PyObject* stream_reader = nullptr;    // of foreign streams
inline PyObject* location_factory = nullptr; // (kind, id)

inline PyObject* keep(PyObject*& place, PyObject* object) {
    Py_INCREF(object);
    Py_XSETREF(place, object);
    Py_RETURN_NONE;
}

// Inside a catch: turns the exception that is being handled into Python's.
inline void raise_current() noexcept {
    try {
        throw;
    } catch (const python_error&) {
        return;
    } catch (...) {
    }
    const auto& e = cmm::boundary::current_error();
    PyObject* made = PyObject_CallFunction(
        error_factory, "is#s#LLis#s#K", static_cast<int>(e.kind), e.message.data(),
        static_cast<Py_ssize_t>(e.message.size()), e.argument.data(), static_cast<Py_ssize_t>(e.argument.size()),
        static_cast<long long>(e.index), static_cast<long long>(e.other_index), static_cast<int>(e.code),
        e.name.data(), static_cast<Py_ssize_t>(e.name.size()), e.entry.data(),
        static_cast<Py_ssize_t>(e.entry.size()), static_cast<unsigned long long>(e.issued));
    if (!made)
        return;
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made)), made);
    Py_DECREF(made);
}

// TypeError in the form of all messages: `what: expected ..., got str`. `index` -1: the argument itself.
inline void refuse_type(const char* what, Py_ssize_t index, const char* expected, PyObject* given) noexcept {
    if (index < 0)
        PyErr_Format(PyExc_TypeError, "%s: expected %s, got %.100s (%.100R)", what, expected,
                     Py_TYPE(given)->tp_name, given);
    else
        PyErr_Format(PyExc_TypeError, "%s[%zd]: expected %s, got %.100s (%.100R)", what, index, expected,
                     Py_TYPE(given)->tp_name, given);
}

// A whole number; bool is none. False with Python's error set.
inline bool whole(PyObject* o, const char* what, long long& out) noexcept {
    if (PyBool_Check(o) || !PyIndex_Check(o)) {
        refuse_type(what, -1, "an int", o);
        return false;
    }
    PyObject* index = PyNumber_Index(o);
    if (!index)
        return false;
    int overflow = 0;
    out = PyLong_AsLongLongAndOverflow(index, &overflow);
    Py_DECREF(index);
    if (overflow == 0)
        return !(out == -1 && PyErr_Occurred());
    PyErr_Format(PyExc_ValueError, "%s: %R is out of range", what, o);
    return false;
}

inline bool whole32(PyObject* o, const char* what, std::int32_t& out) noexcept {
    long long wide = 0;
    if (!whole(o, what, wide))
        return false;
    if (wide < INT32_MIN || wide > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "%s: %R is out of range", what, o);
        return false;
    }
    out = static_cast<std::int32_t>(wide);
    return true;
}

inline bool whole_unsigned(PyObject* o, const char* what, std::uint64_t& out) noexcept {
    if (PyBool_Check(o) || !PyIndex_Check(o)) {
        refuse_type(what, -1, "an int", o);
        return false;
    }
    PyObject* index = PyNumber_Index(o);
    if (!index)
        return false;
    out = PyLong_AsUnsignedLongLong(index);
    Py_DECREF(index);
    if (!PyErr_Occurred())
        return true;
    PyErr_Format(PyExc_ValueError, "%s: %R is out of range; allowed are 0 to 2**64 - 1", what, o);
    return false;
}

} // namespace cmm_python
