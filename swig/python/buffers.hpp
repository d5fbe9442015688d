// SPDX-License-Identifier: Apache-2.0
// Buffers as Python sees them: allocating, borrowing, closing, the buffer protocol, and owners.
#pragma once

namespace cmm_python {

// Owners whose memory is done with. Callbacks come from any thread and take no lock of Python's: they push
// here, and whoever holds the interpreter's lock next lets the owners go.
inline std::atomic<owner_box*> finished{nullptr};
inline std::atomic<bool> leaving{false};
inline PyObject* owner_name = nullptr;

inline int let_owners_go(void*) noexcept {
    owner_box* box = finished.exchange(nullptr, std::memory_order_acquire);
    while (box) {
        owner_box* const next = box->next;
        Py_XDECREF(box->owner);
        delete box;
        box = next;
    }
    return 0;
}

inline void let_finished_owners_go() noexcept {
    if (finished.load(std::memory_order_relaxed))
        let_owners_go(nullptr);
}

inline void owner_is_finished(void* user) {
    auto* const box = static_cast<owner_box*>(user);
    if (leaving.load(std::memory_order_relaxed))
        return; // the process ends, and so does the owner
    box->next = finished.load(std::memory_order_relaxed);
    while (!finished.compare_exchange_weak(box->next, box, std::memory_order_release))
        ;
    Py_AddPendingCall(let_owners_go, nullptr); // a full queue: the next call of cmm does it
}

// Before the handle of a Python buffer closes: from now on the memory holds its owner.
inline void hand_owner_over(PyObject* self, BufferBase& b) noexcept {
    if (owner_box* const box = std::exchange(b.box, nullptr)) {
        PyObject* const owner = PyObject_GetAttr(self, owner_name);
        PyErr_Clear();
        box->owner = owner;
    }
}

// Runs before the garbage collector takes the object apart, so that its owner can still be reached.
inline void finalize_buffer(PyObject* self) {
    auto* const b = static_cast<BufferBase*>(reinterpret_cast<SwigPyObject*>(self)->ptr);
    if (!b || b->closed)
        return;
    hand_owner_over(self, *b);
    {
        const unlocked nobody_waits;
        b->close();
    }
    let_finished_owners_go();
}

// For each class of buffers: this slot is not inherited. A class with a __del__ keeps its own.
inline PyObject* finalize_class(PyObject* cls) noexcept {
    auto* const type = reinterpret_cast<PyTypeObject*>(cls);
    if (!PyType_Check(cls) || !PyType_IsSubtype(type, base_class<BufferBase>())) {
        PyErr_SetString(PyExc_TypeError, "cls: expected a class of buffers");
        return nullptr;
    }
    if (!type->tp_finalize)
        type->tp_finalize = finalize_buffer;
    Py_RETURN_NONE;
}

inline PyObject* make_over(PyObject* cls, handle h, owner_box* box) noexcept {
    auto* const behind = new BufferBase;
    behind->h = h;
    behind->address = cmm::boundary::buffer_address(h);
    behind->bytes = cmm::boundary::buffer_bytes(h);
    behind->box = box;
    return make(cls, behind);
}

inline PyObject* adopt_buffer(PyObject* cls, handle h) noexcept {
    try {
        return make_over(cls, h, nullptr);
    } catch (...) {
        raise_current();
        return nullptr;
    }
}

inline PyObject* allocate(PyObject* resource, PyObject* size, PyObject* cls) noexcept {
    handle from = 0;
    std::uint64_t bytes = 0;
    if (!handle_of<ResourceBase>(resource, "resource", from) || !whole_unsigned(size, "size", bytes))
        return nullptr;
    let_finished_owners_go();
    try {
        handle made = 0;
        {
            const unlocked nobody_waits;
            made = cmm::boundary::resource_allocate(from, bytes);
        }
        return make_over(cls, made, nullptr);
    } catch (...) {
        raise_current();
        return nullptr;
    }
}

inline PyObject* borrow(PyObject* cls, PyObject* address, PyObject* size, bool managed, PyObject* owner) noexcept {
    std::uint64_t at = 0;
    std::uint64_t bytes = 0;
    if (!whole_unsigned(address, "ptr", at) || !whole_unsigned(size, "size", bytes))
        return nullptr;
    auto* const box = owner == Py_None ? nullptr : new owner_box;
    PyObject* made = nullptr;
    try {
        handle h = 0;
        {
            const unlocked nobody_waits;
            h = cmm::boundary::buffer_borrow(at, bytes, managed, box ? owner_is_finished : nullptr, box);
        }
        made = make_over(cls, h, box);
    } catch (...) {
        raise_current();
        return nullptr;
    }
    if (made && PyObject_SetAttr(made, owner_name, owner) < 0)
        Py_CLEAR(made);
    return made;
}

inline PyObject* close_buffer(PyObject* o, PyObject* stream) noexcept {
    auto* const b = need<BufferBase>(o, "self");
    stream_code behind{};
    if (!b || (stream != Py_None && !stream_in(stream, "stream", behind)))
        return nullptr;
    if (b->closed)
        Py_RETURN_NONE;
    if (b->exports != 0) {
        PyErr_Format(PyExc_BufferError, "close: %u views of the buffer are alive; release them first", b->exports);
        return nullptr;
    }
    hand_owner_over(o, *b);
    try {
        const unlocked nobody_waits;
        if (stream != Py_None)
            cmm::boundary::buffer_close_after(b->h, behind);
        else
            cmm::boundary::buffer_close(b->h);
    } catch (...) {
        raise_current();
        return nullptr;
    }
    b->closed = true;
    if (PyObject_SetAttr(o, owner_name, Py_None) < 0)
        PyErr_Clear(); // not one of the package's classes
    let_finished_owners_go();
    Py_RETURN_NONE;
}

inline PyObject* close_object(PyObject* o) noexcept {
    HandleBase* found = as<StreamBase>(o);
    if (!found)
        found = as<EventBase>(o);
    if (!found)
        found = as<PlanBase>(o);
    if (!found && !(found = need<ResourceBase>(o, "self")))
        return nullptr;
    {
        const unlocked nobody_waits;
        found->close();
    }
    let_finished_owners_go();
    Py_RETURN_NONE;
}

// -- the buffer protocol -----------------------------------------------------------------------------------------

inline int get_buffer(PyObject* self, Py_buffer* view, int flags) {
    view->obj = nullptr;
    auto* const b = as<BufferBase>(self);
    handle opened = 0;
    try {
        const unlocked nobody_waits;
        opened = cmm::boundary::view_open(b->h);
    } catch (...) {
        raise_current();
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        PyErr_NormalizeException(&type, &value, &trace);
        PyErr_Format(PyExc_BufferError, "%S", value);
        PyObject *outer_type, *outer, *outer_trace; // the reason stays as the cause
        PyErr_Fetch(&outer_type, &outer, &outer_trace);
        PyErr_NormalizeException(&outer_type, &outer, &outer_trace);
        PyException_SetCause(outer, value);
        PyErr_Restore(outer_type, outer, outer_trace);
        Py_XDECREF(type);
        Py_XDECREF(trace);
        return -1;
    }
    static unsigned char nothing;
    void* const at = b->bytes ? reinterpret_cast<void*>(cmm::boundary::view_address(opened)) : &nothing;
    if (PyBuffer_FillInfo(view, self, at, static_cast<Py_ssize_t>(b->bytes), 0, flags) < 0) {
        cmm::boundary::close(opened);
        return -1;
    }
    view->internal = reinterpret_cast<void*>(opened);
    ++b->exports;
    return 0;
}

inline void release_buffer(PyObject* self, Py_buffer* view) {
    --as<BufferBase>(self)->exports;
    cmm::boundary::close(reinterpret_cast<handle>(view->internal));
}

// -- the process's start and end ----------------------------------------------------------------------------------

inline void warn(std::string_view, std::string_view text, void*) {
    if (leaving.load(std::memory_order_relaxed))
        return;
    const auto lock = PyGILState_Ensure();
    const bool raised = PyErr_WarnEx(PyExc_UserWarning, std::string(text).c_str(), 2) < 0;
    PyGILState_Release(lock);
    if (raised)
        throw python_error{};
}

inline void collect_garbage(void*) {
    if (leaving.load(std::memory_order_relaxed))
        return;
    const auto lock = PyGILState_Ensure();
    PyGC_Collect();
    let_finished_owners_go();
    PyGILState_Release(lock);
}

// The interpreter ends: from now on nothing calls back into it.
inline PyObject* leave() {
    leaving.store(true, std::memory_order_relaxed);
    cmm::set_warning_handler(nullptr, nullptr);
    cmm::set_collector(nullptr, nullptr);
    Py_RETURN_NONE;
}

inline void start() {
    owner_name = PyUnicode_InternFromString("_owner");
    cmm::set_warning_handler(warn, nullptr);
    cmm::set_collector(collect_garbage, nullptr);
}

inline PyObject* ask_location(BufferBase* b, location_code (*question)(handle)) {
    location_code l{};
    {
        const unlocked nobody_waits;
        l = question(b->h);
    }
    return location_out(l);
}

} // namespace cmm_python

static std::uint64_t BufferBase_handle_get(BufferBase* b) {
    return b->closed ? cmm::boundary::buffer_address(b->h) : b->address;
}
static std::uint64_t BufferBase_size_get(BufferBase* b) {
    return b->closed ? cmm::boundary::buffer_bytes(b->h) : b->bytes;
}
static bool BufferBase_is_closed_get(BufferBase* b) { return b->closed; }
static bool BufferBase_read_mostly_get(BufferBase* b) { return cmm::boundary::get_read_mostly(b->h); }
static void BufferBase_read_mostly_set(BufferBase* b, bool v) { cmm::boundary::set_read_mostly(b->h, v); }
static PyObject* BufferBase_preferred_location_get(BufferBase* b) {
    return cmm_python::ask_location(b, cmm::boundary::get_preferred_location);
}
static void BufferBase_preferred_location_set(BufferBase* b, PyObject* wanted) {
    location_code l{};
    if (!cmm_python::location_in(wanted, "preferred_location", true, l))
        throw cmm_python::python_error{};
    const cmm_python::unlocked nobody_waits;
    cmm::boundary::set_preferred_location(b->h, l);
}
static PyObject* BufferBase_last_prefetch_location_get(BufferBase* b) {
    return cmm_python::ask_location(b, cmm::boundary::get_last_prefetch_location);
}
