// SPDX-License-Identifier: Apache-2.0
// Handles: how objects cross a language border. A handle is an index and a generation, so that a stale
// one is an error and never a crash; an object is held for the length of a call, so that closing it in
// another thread waits for nobody and frees nothing under anyone's feet.
module;
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <utility>
export module cmm.handles;
import cmm.error;

export namespace cmm::boundary {

// Zero is no object.
using handle = std::uint64_t;

enum class object_kind : std::uint8_t { none = 0, buffer = 1, resource = 2, stream = 3, event = 4, plan = 5, view = 6 };

// One place in the table. `word` is the generation (high half), whether the object is open (bit 31) and how
// many calls hold it (the rest).
struct slot {
    std::atomic<std::uint64_t> word{0};
    void* object = nullptr;
    void (*destroy)(void*) noexcept = nullptr;
    object_kind kind = object_kind::none;
    std::uint32_t index = 0;
    std::uint32_t next_free = 0;

    static constexpr std::uint64_t open_bit = std::uint64_t{1} << 31U;
    static constexpr std::uint64_t generation_of(std::uint64_t word) noexcept { return word >> 32U; }
};

// Takes over `object`; `destroy` is called once it is closed and nobody holds it.
CMM_API handle insert(object_kind kind, void* object, void (*destroy)(void*) noexcept);
// The slot of a handle with the object held, or null where the handle is stale or of another kind.
CMM_API slot* try_hold(handle h, object_kind kind) noexcept;
CMM_API void let_go(slot& s) noexcept;
// Closes: later holds fail, and the object is destroyed when the last one is let go. Idempotent.
CMM_API void close(handle h) noexcept;
CMM_API bool is_open(handle h) noexcept;
CMM_API object_kind kind_of(handle h) noexcept; // none where stale
// Throws closed for a stale handle, invalid_argument for one of another kind or none at all.
[[noreturn]] CMM_API void refuse_handle(handle h, object_kind wanted, const error_site& site);
// Open objects, of one kind or (none) of all.
CMM_API std::size_t open_objects(object_kind kind = object_kind::none) noexcept;

// Holds an object for a call.
template <class T> class held {
public:
    held() = default;
    inline held(handle h, object_kind kind, const error_site& site) : slot_(try_hold(h, kind)) {
        if (!slot_) [[unlikely]]
            refuse_handle(h, kind, site);
    }
    inline held(held&& o) noexcept : slot_(std::exchange(o.slot_, nullptr)) {}
    inline held& operator=(held&& o) noexcept {
        std::swap(slot_, o.slot_);
        return *this;
    }
    inline ~held() {
        if (slot_)
            let_go(*slot_);
    }
    inline T& operator*() const noexcept { return *static_cast<T*>(slot_->object); }
    inline T* operator->() const noexcept { return static_cast<T*>(slot_->object); }
    inline explicit operator bool() const noexcept { return slot_ != nullptr; }

private:
    slot* slot_ = nullptr;
};

template <class T> handle insert(object_kind kind, T&& object) {
    return insert(kind, new T(std::move(object)), [](void* p) noexcept { delete static_cast<T*>(p); });
}

} // namespace cmm::boundary
