// SPDX-License-Identifier: Apache-2.0
// What stands behind Python's objects, and how they are made from handles and read again without a search.
#pragma once
using cmm::boundary::error_record;

struct LocationBase {
    std::int32_t kind_;
    std::int32_t id_;
};

// A handle, closed with its object.
struct HandleBase {
    handle h = 0;
    bool closed = false;

    void close() noexcept {
        if (!std::exchange(closed, true) && h)
            cmm::boundary::close(h);
    }
};
struct ResourceBase : HandleBase {};
struct EventBase : HandleBase {};
struct PlanBase : HandleBase {};
// With no handle, a stream of somebody else's: its number is `raw`.
struct StreamBase : HandleBase {
    std::uint64_t raw = 0;
};

namespace cmm_python {

// Keeps the owner of borrowed memory while work in flight needs it. As long as the Python buffer is there,
// that one holds the owner, where the garbage collector sees it; what is here is null until then.
struct owner_box {
    PyObject* owner = nullptr;
    owner_box* next = nullptr;
};

} // namespace cmm_python

struct BufferBase : HandleBase {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint32_t exports = 0;
    cmm_python::owner_box* box = nullptr; // belongs to the memory; null where it has no owner
};

namespace cmm_python {

// Python class of each: SWIG's table, filled on first use.
template <class T> struct names;
template <> struct names<LocationBase> { static constexpr auto in_swig = "LocationBase *", shown = "a Device or Host"; };
template <> struct names<BufferBase> { static constexpr auto in_swig = "BufferBase *", shown = "a Buffer"; };
template <> struct names<ResourceBase> { static constexpr auto in_swig = "ResourceBase *", shown = "a memory resource"; };
template <> struct names<StreamBase> { static constexpr auto in_swig = "StreamBase *", shown = "a Stream"; };
template <> struct names<EventBase> { static constexpr auto in_swig = "EventBase *", shown = "an Event"; };
template <> struct names<PlanBase> { static constexpr auto in_swig = "PlanBase *", shown = "a plan"; };

template <class T> swig_type_info* info() noexcept {
    static swig_type_info* const found = SWIG_TypeQuery(names<T>::in_swig);
    return found;
}

template <class T> PyTypeObject* base_class() noexcept {
    static PyTypeObject* const found = static_cast<SwigPyClientData*>(info<T>()->clientdata)->pytype;
    return found;
}

// The object behind `o`, or null where it is of another class. The class seen last is remembered, because
// a program's buffers are mostly of one class.
template <class T> T* as(PyObject* o) noexcept {
    static PyTypeObject* last = nullptr; // holds a reference: its address must not become another class's
    PyTypeObject* const type = Py_TYPE(o);
    if (type != last) {
        if (!PyType_IsSubtype(type, base_class<T>()))
            return nullptr;
        Py_INCREF(type);
        Py_XDECREF(std::exchange(last, type));
    }
    return static_cast<T*>(reinterpret_cast<SwigPyObject*>(o)->ptr);
}

template <class T> T* need(PyObject* o, const char* what, Py_ssize_t index = -1) noexcept {
    T* const found = as<T>(o);
    if (!found)
        refuse_type(what, index, names<T>::shown, o);
    return found;
}

template <class T> bool handle_of(PyObject* o, const char* what, handle& out) noexcept {
    const T* const found = need<T>(o, what);
    if (found)
        out = found->h;
    return found != nullptr;
}

// A new Python object of `cls`, which derives from T's class, over `behind`, which it deletes.
template <class T> PyObject* make(PyObject* cls, T* behind) noexcept {
    auto* const type = reinterpret_cast<PyTypeObject*>(cls);
    if (!PyType_Check(cls) || !PyType_IsSubtype(type, base_class<T>())) {
        delete behind;
        PyErr_SetString(PyExc_TypeError, "cls: expected a class of cmm's");
        return nullptr;
    }
    PyObject* const o = type->tp_alloc(type, 0);
    if (!o) {
        delete behind;
        return nullptr;
    }
    auto* const swig = reinterpret_cast<SwigPyObject*>(o);
    swig->ptr = behind;
    swig->ty = info<T>();
    swig->own = SWIG_POINTER_OWN;
    return o;
}

template <class T> PyObject* adopt_as(PyObject* cls, handle h) noexcept {
    auto* const behind = new T;
    behind->h = h;
    return make(cls, behind);
}

inline PyObject* adopt(PyObject* cls, handle h) noexcept {
    switch (cmm::boundary::kind_of(h)) {
    case cmm::boundary::object_kind::resource:
        return adopt_as<ResourceBase>(cls, h);
    case cmm::boundary::object_kind::stream:
        return adopt_as<StreamBase>(cls, h);
    case cmm::boundary::object_kind::event:
        return adopt_as<EventBase>(cls, h);
    case cmm::boundary::object_kind::plan:
        return adopt_as<PlanBase>(cls, h);
    default:
        PyErr_SetString(PyExc_ValueError, "the handle is not of a resource, stream, event or plan");
        return nullptr;
    }
}

inline PyObject* borrow_stream(PyObject* cls, PyObject* raw) noexcept {
    std::uint64_t number = 0;
    if (!whole_unsigned(raw, "handle", number))
        return nullptr;
    auto* const behind = new StreamBase;
    behind->raw = number;
    return make(cls, behind);
}

// The base classes' destructor closes; that can wait for the driver.
template <class T> void destroy(T* behind) noexcept {
    if (!behind->closed) {
        const unlocked nobody_waits;
        behind->close();
    }
    delete behind;
}

} // namespace cmm_python

static std::int32_t LocationBase_kind_get(LocationBase* l) { return l->kind_; }
static std::int32_t LocationBase_id_get(LocationBase* l) { return l->id_; }
static bool StreamBase_is_closed_get(StreamBase* s) { return s->closed; }
static bool EventBase_is_closed_get(EventBase* e) { return e->closed; }
static bool PlanBase_is_closed_get(PlanBase* p) { return p->closed; }
static bool ResourceBase_is_closed_get(ResourceBase* r) { return r->closed; }

namespace cmm_python {
inline Py_hash_t location_hash(PyObject* o) {
    const auto* const l = as<LocationBase>(o);
    return static_cast<Py_hash_t>(l->kind_) * 1000003 + l->id_;
}
} // namespace cmm_python
