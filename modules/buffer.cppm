// SPDX-License-Identifier: Apache-2.0
// Buffers: who owns a range, how long it lives, and what it may be used for.
module;
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>
export module cmm.buffer;
export import cmm.error;
export import cmm.location;
export import cmm.range;
export import cmm.stream;
export import cmm.driver;

export namespace cmm::detail {

class spin_lock {
public:
    inline void lock() noexcept {
        while (flag_.test_and_set(std::memory_order_acquire))
            while (flag_.test(std::memory_order_relaxed)) {
            }
    }
    inline void unlock() noexcept { flag_.clear(std::memory_order_release); }

private:
    std::atomic_flag flag_;
};

struct plan_state;

// Work in flight that needs some memory, as far as cmm knows: a few timelines, each once. Finished marks
// are dropped as the list grows.
class CMM_API use_list {
public:
    // Not thread-safe: the owner locks.
    void add(timeline* t);
    void add_all(const use_list& o);
    inline bool last_is(const timeline* t) const noexcept { return !uses_.empty() && uses_.back().get() == t; }
    inline bool empty() const noexcept { return uses_.empty(); }
    inline std::vector<timeline_ptr> take() noexcept { return std::exchange(uses_, {}); }

private:
    std::vector<timeline_ptr> uses_;
    std::size_t prune_at_ = 8;
};

// What a buffer object is: a range of an allocation. The allocation's own state is the root; slices point
// to it. The memory goes back when nothing holds it any more: no open buffer, slice, host view or plan.
class CMM_API buffer_state {
public:
    range where;
    buffer_state* root;
    std::atomic<std::uint32_t> references;
    std::atomic<bool> closed{false};
    std::atomic<bool> close_is_explicit{false}; // the destructor is to count as close(): set where a border closes
    std::vector<std::pair<plan_state*, std::size_t>> plans; // that were made with this buffer, and as which target

    // Of a root alone.
    memory_kind kind = memory_kind::unknown; // unknown: borrowed, asked at each call
    attach attached = attach::global;
    int device = 0;
    driver::context_handle context = nullptr;
    std::size_t padding = 0; // bytes behind the range that belong to it alone (an arena's last page)
    std::uintptr_t area = 0; // what its ranges may merge within
    std::size_t area_bytes = 0;
    std::atomic<std::uint32_t> views{0};
    spin_lock lock; // of everything below, and of plans of all its slices
    std::uint32_t holds = 1;
    buffer_state* next_dropped = nullptr;
    std::uint32_t dropped_later = 0;
    std::atomic<bool> advised{false}; // since it was handed out
    std::uint32_t plan_holds = 0;
    use_list uses;
    void (*give_back)(buffer_state& root) noexcept = nullptr;
    std::shared_ptr<const void> owner; // of borrowed memory, or of the allocation's resource

    inline buffer_state() : root(this), references(2) {} // the buffer object's and its hold's
    buffer_state(buffer_state& of, const range& r);
    ~buffer_state();
    inline bool borrowed() const noexcept { return root->kind == memory_kind::unknown; }
};

CMM_API void retain(buffer_state* s) noexcept;
CMM_API void release(buffer_state* s) noexcept;
// Holds the memory, with a reference to its root, or says that the memory is gone already.
CMM_API bool try_hold(buffer_state& root) noexcept;
CMM_API void drop_hold(buffer_state& root) noexcept;
// The same from a callback that must not call the driver: the next collect() does what is to be done.
CMM_API void drop_hold_later(buffer_state& root) noexcept;
// Closes one buffer object: marks it, breaks its plans, drops its hold. Idempotent.
CMM_API void close(buffer_state* s, bool explicitly) noexcept;

// Remembers that work until `t` needs the memory. The common case, the same stream again, takes no lock.
CMM_API void mark_use_slow(buffer_state& root, timeline* t);
inline void mark_use(buffer_state& root, timeline* t) {
    root.lock.lock();
    const bool known = root.uses.last_is(t);
    root.lock.unlock();
    if (!known)
        mark_use_slow(root, t);
}

// Forgets uses whose work has finished.
CMM_API void drop_finished_uses(buffer_state& root);

// A prepared plan as its buffers see it. `broken` is the smallest target whose buffer was closed.
struct plan_state {
    static constexpr std::size_t whole = static_cast<std::size_t>(-1);
    std::atomic<std::size_t> broken{whole};
    std::atomic<std::uint32_t> running{0};
    spin_lock lock;
    use_list uses;
};
CMM_API void join_plan(buffer_state& s, plan_state& p, std::size_t target);
CMM_API void leave_plan(buffer_state& s, plan_state& p) noexcept;

// Ways to give memory back.
CMM_API void free_managed(buffer_state& root) noexcept;
CMM_API void free_pinned(buffer_state& root) noexcept;
CMM_API void drop_owner(buffer_state& root) noexcept;

} // namespace cmm::detail

export namespace cmm {

// Typed bytes of a buffer on the host. Keeps the memory alive: closing the buffer puts the free off until
// its views are gone.
template <class T> class host_view {
public:
    inline host_view(detail::buffer_state& s, std::span<T> items) : root_(s.root), items_(items) {}
    inline host_view(host_view&& o) noexcept
        : root_(std::exchange(o.root_, nullptr)), items_(std::exchange(o.items_, {})) {}
    inline host_view& operator=(host_view&& o) noexcept {
        std::swap(root_, o.root_);
        std::swap(items_, o.items_);
        return *this;
    }
    inline ~host_view() {
        if (root_) {
            root_->views.fetch_sub(1, std::memory_order_relaxed);
            detail::drop_hold(*root_);
        }
    }
    inline T* data() const noexcept { return items_.data(); }
    inline std::size_t size() const noexcept { return items_.size(); }
    inline T& operator[](std::size_t i) const noexcept { return items_[i]; }
    inline auto begin() const noexcept { return items_.begin(); }
    inline auto end() const noexcept { return items_.end(); }
    inline operator std::span<T>() const noexcept { return items_; }

private:
    detail::buffer_state* root_;
    std::span<T> items_;
};

// A range of memory and the right to it: owning (from a resource), borrowed (from_handle) or a slice of
// another. Move-only. One buffer may be used by many threads at once, but closed or moved by one only.
class CMM_API buffer {
public:
    // An empty, closed buffer.
    buffer() = default;
    // `bytes` bytes at `address` that something else owns; `owner`, where given, is kept until the buffer
    // and all work on it are done. What memory it is is asked of the driver at each use, not remembered.
    // Throws invalid_argument for a range that wraps or a null address with bytes.
    static buffer from_handle(void* address, std::size_t bytes, std::shared_ptr<const void> owner = {});

    inline buffer(buffer&& o) noexcept : state_(std::exchange(o.state_, nullptr)) {}
    inline buffer& operator=(buffer&& o) noexcept {
        std::swap(state_, o.state_);
        return *this;
    }
    inline ~buffer() {
        if (state_)
            detail::close(state_, state_->close_is_explicit.load(std::memory_order_relaxed));
    }

    // The address, and what the driver calls the handle. Throw closed.
    inline void* data() const { return reinterpret_cast<void*>(live("data").where.begin()); }
    inline std::uintptr_t handle() const { return live("handle").where.begin(); }
    // Bytes.
    inline std::size_t size() const { return live("size").where.bytes(); }
    inline range extent() const { return live("extent").where; }

    // What memory it is; one driver query for borrowed memory.
    memory_kind kind() const;
    bool is_managed() const;
    // The device that it was allocated for, or that the driver names.
    cmm::device device() const;

    // The bytes [offset, offset + bytes) as a buffer that keeps its parent's memory alive. Throws
    // invalid_argument where they do not lie inside, and closed.
    buffer slice(std::size_t offset, std::size_t bytes) const;

    // The memory as items on the host; size() is a multiple of sizeof(T) or it throws invalid_argument.
    // Throws not_supported for device memory, and, on machines without concurrentManagedAccess, for
    // managed memory with work of cmm in flight.
    template <class T> host_view<T> as_span() const {
        static_assert(std::is_trivially_copyable_v<T>, "device memory holds plain bytes");
        auto& s = pin_for_host(sizeof(T), alignof(T));
        return {s, std::span<T>(reinterpret_cast<T*>(s.where.begin()), s.where.bytes() / sizeof(T))};
    }

    // Idempotent. The memory goes back once work in flight, slices and host views are done with it.
    void close() noexcept;
    // The same, behind the work that `s` holds now: for work that cmm did not issue.
    void close(stream_ref s);
    inline bool is_closed() const noexcept { return !state_ || state_->closed.load(std::memory_order_relaxed); }

    // For cmm's own layers: the state, open or not; null for a default-constructed or moved-from buffer.
    inline detail::buffer_state* state() const noexcept { return state_; }
    // Gives up the state with its reference and hold.
    inline detail::buffer_state* let_go() noexcept { return std::exchange(state_, nullptr); }
    // Takes over one reference and one hold.
    inline explicit buffer(detail::buffer_state* adopted) noexcept : state_(adopted) {}

protected:
    inline detail::buffer_state& live(const char* operation) const {
        if (is_closed()) [[unlikely]]
            refuse_closed(operation);
        return *state_;
    }
    detail::buffer_state* make_slice(std::size_t offset, std::size_t bytes) const;

private:
    [[noreturn]] static void refuse_closed(const char* operation);
    detail::buffer_state& pin_for_host(std::size_t item, std::size_t alignment) const;
    detail::buffer_state* state_ = nullptr;
};

// Frees what was closed and whose work has finished; how many buffers still wait. Called by every
// allocation and close; for programs that do neither.
CMM_API std::size_t collect() noexcept;
// Waits for the work that closed buffers wait for, and frees them all.
CMM_API void drain() noexcept;

} // namespace cmm
