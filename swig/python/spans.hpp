// SPDX-License-Identifier: Apache-2.0
// Sequences of Python on their way in: read once, without a search per element, on the stack up to 64.
#pragma once

namespace cmm_python {

// Holds the elements of a sequence for a scope.
class sequence {
public:
    sequence() = default;
    ~sequence() { Py_XDECREF(fast_); }
    sequence(const sequence&) = delete;
    sequence& operator=(const sequence&) = delete;

    // False with a TypeError where `o` is no sequence: strings, bytes and mappings are none here.
    bool open(PyObject* o, const char* what, const char* expected) noexcept {
        if (!PyList_CheckExact(o) && !PyTuple_CheckExact(o) &&
            (!PySequence_Check(o) || PyUnicode_Check(o) || PyBytes_Check(o) || PyByteArray_Check(o) || PyDict_Check(o))) {
            refuse_type(what, -1, expected, o);
            return false;
        }
        return open_any(o);
    }
    bool open_any(PyObject* o) noexcept { return (fast_ = PySequence_Fast(o, "not iterable")) != nullptr; }
    std::size_t size() const noexcept { return static_cast<std::size_t>(PySequence_Fast_GET_SIZE(fast_)); }
    PyObject* operator[](std::size_t i) const noexcept {
        return PySequence_Fast_GET_ITEM(fast_, static_cast<Py_ssize_t>(i));
    }

private:
    PyObject* fast_ = nullptr;
};

// Room for `count` items: 64 in place, more on the heap.
template <class T> class room {
public:
    bool take(std::size_t count) noexcept {
        count_ = count;
        if (count <= small)
            return true;
        at_ = static_cast<T*>(PyMem_Malloc(count * sizeof(T)));
        if (!at_)
            PyErr_NoMemory();
        return at_ != nullptr;
    }
    ~room() {
        if (at_ != reinterpret_cast<T*>(in_place_))
            PyMem_Free(at_);
    }
    T& operator[](std::size_t i) noexcept { return at_[i]; }
    std::span<const T> span() const noexcept { return {at_, count_}; }

private:
    static constexpr std::size_t small = 64;
    alignas(T) std::byte in_place_[small * sizeof(T)];
    T* at_ = reinterpret_cast<T*>(in_place_);
    std::size_t count_ = 0;
};

class targets_in {
public:
    bool read(PyObject* o, const char* what, bool one_is_allowed) noexcept {
        if (const auto* const b = as<BufferBase>(o)) {
            if (!one_is_allowed)
                return refuse_one(what);
            return room_.take(1) && put(0, *b);
        }
        sequence s;
        if (!s.open(o, what, one_is_allowed ? "a Buffer or a sequence of them" : "a sequence of Buffers") ||
            !room_.take(s.size()))
            return false;
        for (std::size_t i = 0; i < s.size(); ++i) {
            const auto* const b = need<BufferBase>(s[i], what, static_cast<Py_ssize_t>(i));
            if (!b)
                return false;
            put(i, *b);
        }
        return true;
    }
    std::span<const target_code> span() const noexcept { return room_.span(); }

private:
    bool put(std::size_t i, const BufferBase& b) noexcept {
        room_[i] = target_code{b.h, 0, 0};
        return true;
    }
    static bool refuse_one(const char* what) noexcept {
        PyErr_Format(PyExc_TypeError,
                     "copy_batch: %s: one buffer was given, where a sequence is needed; copy a single buffer by "
                     "Buffer.copy_to or Buffer.copy_from",
                     what);
        return false;
    }
    room<target_code> room_;
};

class locations_in {
public:
    // One location for all, or a sequence that pairs. None: only advice does without.
    bool read(PyObject* o, std::string_view operation) noexcept {
        if (const auto* const l = as<LocationBase>(o)) {
            room_.take(1);
            room_[0] = {l->kind_, l->id_};
            return true;
        }
        if (o == Py_None && (operation == "advise" || operation == "plan_advise"))
            return room_.take(0);
        paired_ = true;
        sequence s;
        return s.open(o, "location", "a Device, a Host or a sequence of them") && read_all(s, "locations");
    }
    // Any iterable.
    bool read_set(PyObject* o, const char* what) noexcept {
        sequence s;
        if (PyUnicode_Check(o) || as<LocationBase>(o) || !s.open_any(o)) {
            PyErr_Clear();
            refuse_type(what, -1, "an iterable of Device and Host", o);
            return false;
        }
        return read_all(s, what);
    }
    bool paired() const noexcept { return paired_; }
    std::span<const location_code> span() const noexcept { return room_.span(); }

private:
    bool read_all(const sequence& s, const char* what) noexcept {
        if (!room_.take(s.size()))
            return false;
        for (std::size_t i = 0; i < s.size(); ++i) {
            const auto* const l = need<LocationBase>(s[i], what, static_cast<Py_ssize_t>(i));
            if (!l)
                return false;
            room_[i] = {l->kind_, l->id_};
        }
        return true;
    }
    room<location_code> room_;
    bool paired_ = false;
};

// Options are objects of the package's CopyOptions, each with its numbers as a tuple, made once: (order, source
// kind, source id, destination kind, destination id, overlap).
class copy_options_in {
public:
    bool read(PyObject* o) noexcept {
        if (o == Py_None)
            return room_.take(0);
        if (!PySequence_Check(o))
            return room_.take(1) && put(0, o, -1);
        per_copy_ = true;
        sequence s;
        if (!s.open(o, "options", "CopyOptions or a sequence of them") || !room_.take(s.size()))
            return false;
        for (std::size_t i = 0; i < s.size(); ++i)
            if (!put(i, s[i], static_cast<Py_ssize_t>(i)))
                return false;
        return true;
    }
    bool per_copy() const noexcept { return per_copy_; }
    std::span<const copy_options_code> span() const noexcept { return room_.span(); }

private:
    bool put(std::size_t i, PyObject* o, Py_ssize_t index) noexcept {
        static PyObject* const name = PyUnicode_InternFromString("_code");
        PyObject* const code = PyObject_GetAttr(o, name);
        if (!code || !PyTuple_Check(code)) {
            PyErr_Clear();
            Py_XDECREF(code);
            refuse_type("options", index, "CopyOptions", o);
            return false;
        }
        copy_options_code& c = room_[i];
        c = {};
        const bool good = PyArg_ParseTuple(code, "iiiiii", &c.src_access_order, &c.src_location_hint.kind,
                                           &c.src_location_hint.id, &c.dst_location_hint.kind, &c.dst_location_hint.id,
                                           &c.overlap_mode) != 0;
        Py_DECREF(code);
        return good;
    }
    room<copy_options_code> room_;
    bool per_copy_ = false;
};

class sizes_in {
public:
    bool read(PyObject* o) noexcept {
        sequence s;
        if (!s.open(o, "sizes", "a sequence of ints") || !room_.take(s.size()))
            return false;
        for (std::size_t i = 0; i < s.size(); ++i)
            if (!whole_unsigned(s[i], "sizes", room_[i]))
                return false;
        return true;
    }
    std::span<const std::uint64_t> span() const noexcept { return room_.span(); }

private:
    room<std::uint64_t> room_;
};

} // namespace cmm_python
