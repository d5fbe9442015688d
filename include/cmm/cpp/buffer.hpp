// SPDX-License-Identifier: Apache-2.0
// Buffers: who owns a range, how long it lives, and its bytes on the host.
#ifndef CMM_CPP_BUFFER_HPP
#define CMM_CPP_BUFFER_HPP

#include <cmm/cmm.h>
#include <cmm/cpp/error.hpp>
#include <cmm/cpp/location.hpp>
#include <cmm/cpp/range.hpp>
#include <cmm/cpp/stream.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace cmm {
inline namespace over_c {

enum class memory_kind : std::uint8_t {
    unknown = 0,
    managed = 1,
    managed_pool = 2,
    device = 3,
    pinned = 4,
    pageable = 5
};

// Typed bytes of a buffer on the host. Keeps the memory alive: closing the buffer puts the free off
// until its views are gone.
template <class T> class host_view {
public:
    host_view(cmm_view v, T* data, std::size_t size) noexcept : c_(v), data_(data), size_(size) {}
    host_view(host_view&& o) noexcept
        : c_(std::exchange(o.c_, {detail::gone})), data_(std::exchange(o.data_, nullptr)),
          size_(std::exchange(o.size_, 0)) {}
    host_view& operator=(host_view&& o) noexcept {
        std::swap(c_, o.c_);
        std::swap(data_, o.data_);
        std::swap(size_, o.size_);
        return *this;
    }
    ~host_view() { cmm_view_close(c_); }

    T* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    T& operator[](std::size_t i) const noexcept { return data_[i]; }
    T* begin() const noexcept { return data_; }
    T* end() const noexcept { return data_ + size_; }
#if __cplusplus >= 202002L
    operator std::span<T>() const noexcept { return {data_, size_}; }
#endif

private:
    cmm_view c_;
    T* data_;
    std::size_t size_;
};

// A range of memory and the right to it: owning (from a resource), borrowed (from_handle) or a
// slice of another. Move-only. One buffer may be used by many threads at once, but closed or moved
// by one only.
class buffer {
public:
    // An empty, closed buffer.
    buffer() = default;
    // `owner`, where given, is kept until the buffer and all work on it are done.
    static buffer from_handle(void* address, std::size_t bytes,
                              std::shared_ptr<const void> owner = {}) {
        return buffer(borrow(address, bytes, false, std::move(owner)));
    }

    buffer(buffer&& o) noexcept : c_(o.let_go()) {}
    buffer& operator=(buffer&& o) noexcept {
        std::swap(c_, o.c_);
        return *this;
    }
    ~buffer() {
        if (c_.id != detail::gone)
            cmm_buffer_drop(c_);
    }

    void* data() const {
        void* out = nullptr;
        detail::check(cmm_buffer_data(c_, &out));
        return out;
    }
    std::uintptr_t handle() const { return reinterpret_cast<std::uintptr_t>(data()); }
    std::size_t size() const {
        std::size_t out = 0;
        detail::check(cmm_buffer_size(c_, &out));
        return out;
    }
    range extent() const { return range(data(), size()); }

    memory_kind kind() const {
        std::int32_t out = 0;
        detail::check(cmm_buffer_kind(c_, &out));
        return static_cast<memory_kind>(out);
    }
    bool is_managed() const {
        const auto k = kind();
        return k == memory_kind::managed || k == memory_kind::managed_pool;
    }
    cmm::device device() const {
        std::int32_t out = 0;
        detail::check(cmm_buffer_device(c_, &out));
        return cmm::device{out};
    }

    // The bytes [offset, offset + bytes) as a buffer that keeps its parent's memory alive.
    buffer slice(std::size_t offset, std::size_t bytes) const {
        return buffer(make_slice(offset, bytes));
    }

    // size() is a multiple of sizeof(T) or it throws invalid_argument. Throws not_supported for
    // device memory.
    template <class T> host_view<T> as_span() const {
        static_assert(std::is_trivially_copyable_v<T>, "device memory holds plain bytes");
        cmm_view v{detail::gone};
        void* data = nullptr;
        std::size_t bytes = 0;
        detail::check(cmm_view_open(c_, &v, &data, &bytes));
        host_view<T> view(v, static_cast<T*>(data), bytes / sizeof(T));
        if (bytes % sizeof(T) != 0 || reinterpret_cast<std::uintptr_t>(data) % alignof(T) != 0)
            throw invalid_argument("as_span", "buffer",
                                   std::to_string(bytes) +
                                       " bytes are no whole number of aligned items of " +
                                       std::to_string(sizeof(T)) + " bytes");
        return view;
    }

    // Idempotent. The memory goes back once work in flight, slices and host views are done with it.
    void close() noexcept { cmm_buffer_close(let_go()); }
    // The same, behind the work that `s` holds now: for work that cmm did not issue.
    void close(stream_ref s) {
        detail::check(cmm_buffer_close_after(c_, s.c_value()));
        c_ = {detail::gone};
    }
    bool is_closed() const noexcept { return !cmm_buffer_is_open(c_); }

    cmm_buffer c_handle() const noexcept { return c_; }
    // Gives the handle to the caller, who closes it.
    cmm_buffer let_go() noexcept { return std::exchange(c_, {detail::gone}); }
    // Takes a handle over.
    explicit buffer(cmm_buffer adopted) noexcept : c_(adopted) {}

protected:
    static cmm_buffer borrow(void* address, std::size_t bytes, bool managed,
                             std::shared_ptr<const void> owner) {
        auto* const user = owner ? new std::shared_ptr<const void>(std::move(owner)) : nullptr;
        cmm_buffer out{detail::gone};
        detail::check(
            cmm_buffer_borrow(address, bytes, managed, user ? &drop_owner : nullptr, user, &out));
        return out;
    }
    cmm_buffer make_slice(std::size_t offset, std::size_t bytes) const {
        cmm_buffer out{detail::gone};
        detail::check(cmm_buffer_slice(c_, offset, bytes, &out));
        return out;
    }

private:
    static void drop_owner(void* user) { delete static_cast<std::shared_ptr<const void>*>(user); }
    cmm_buffer c_{detail::gone};
};

// Frees what was closed and whose work has finished; how many buffers still wait.
inline std::size_t collect() noexcept { return cmm_collect(); }
// Waits for the work that closed buffers wait for, and frees them all.
inline void drain() noexcept { cmm_drain(); }

} // namespace over_c
} // namespace cmm

#endif
