// SPDX-License-Identifier: Apache-2.0
// DLPack capsules over buffers: one dimension of bytes. The structures are those of the DLPack specification 1.0.
#pragma once

namespace cmm_python::dl {

struct device {
    std::int32_t type;
    std::int32_t id;
};
struct data_type {
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;
};
struct tensor {
    void* data;
    dl::device device;
    std::int32_t dimensions;
    data_type type;
    std::int64_t* shape;
    std::int64_t* strides;
    std::uint64_t byte_offset;
};
struct managed_tensor {
    tensor what;
    void* user;
    void (*release)(managed_tensor*);
};
struct versioned_tensor {
    std::uint32_t major;
    std::uint32_t minor;
    void* user;
    void (*release)(versioned_tensor*);
    std::uint64_t flags;
    tensor what;
};

inline constexpr data_type bytes{1, 8, 1}; // unsigned, 8 bits, 1 lane

// One tensor and its shape. `keeper` is a memoryview for host memory, else the buffer itself.
template <class Tensor> struct holder {
    Tensor outer{};
    std::int64_t shape = 0;
    PyObject* keeper = nullptr;

    static void release(Tensor* t) {
        auto* const self = static_cast<holder*>(t->user);
        if (Py_IsInitialized()) {
            const auto lock = PyGILState_Ensure();
            Py_XDECREF(self->keeper);
            PyGILState_Release(lock);
        }
        delete self;
    }
};

// Only a capsule that nobody consumed still has its first name.
template <class Tensor> void drop(PyObject* capsule) {
    constexpr const char* name = std::is_same_v<Tensor, managed_tensor> ? "dltensor" : "dltensor_versioned";
    if (PyCapsule_IsValid(capsule, name)) {
        auto* const t = static_cast<Tensor*>(PyCapsule_GetPointer(capsule, name));
        t->release(t);
    }
}

template <class Tensor> PyObject* capsule(const BufferBase& b, PyObject* keeper, dl::device where) noexcept {
    constexpr bool versioned = std::is_same_v<Tensor, versioned_tensor>;
    auto* const h = new holder<Tensor>;
    h->shape = static_cast<std::int64_t>(b.bytes);
    h->keeper = Py_NewRef(keeper);
    h->outer.what = {reinterpret_cast<void*>(b.address), where, 1, bytes, &h->shape, nullptr, 0};
    h->outer.user = h;
    h->outer.release = holder<Tensor>::release;
    if constexpr (versioned)
        h->outer.major = 1;
    PyObject* const made = PyCapsule_New(&h->outer, versioned ? "dltensor_versioned" : "dltensor", drop<Tensor>);
    if (!made)
        holder<Tensor>::release(&h->outer);
    return made;
}

} // namespace cmm_python::dl

namespace cmm_python {

inline PyObject* dlpack(PyObject* o, bool versioned, PyObject* device_type, PyObject* device) noexcept {
    const auto* const b = need<BufferBase>(o, "self");
    long long type = 0;
    long long id = 0;
    if (!b || !whole(device_type, "device_type", type) || !whole(device, "device", id))
        return nullptr;
    const dl::device where{static_cast<std::int32_t>(type), static_cast<std::int32_t>(id)};
    const bool on_device = type == 2; // kDLCUDA: no host view of it
    PyObject* const keeper = on_device ? Py_NewRef(o) : PyMemoryView_FromObject(o);
    if (!keeper)
        return nullptr;
    PyObject* const made = versioned ? dl::capsule<dl::versioned_tensor>(*b, keeper, where)
                                     : dl::capsule<dl::managed_tensor>(*b, keeper, where);
    Py_DECREF(keeper);
    return made;
}

} // namespace cmm_python
