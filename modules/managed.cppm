// SPDX-License-Identifier: Apache-2.0
// Managed buffers, with advice as properties, and the resources that make buffers.
module;
#include <bit>
#include <cmm/export.h>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <vector>
export module cmm.managed;
export import cmm.copy;
export import cmm.ops;
import cmm.driver;

export namespace cmm {

// The devices and the host that have a buffer mapped: a live set, asked of the driver at each use. Keeps
// the buffer's memory alive. Only devices and the host can be in it.
class CMM_API accessed_by_set {
public:
    inline explicit accessed_by_set(detail::buffer_state& s) : state_(&s) { detail::retain(state_); }
    inline accessed_by_set(const accessed_by_set& o) : state_(o.state_) { detail::retain(state_); }
    inline ~accessed_by_set() { detail::release(state_); }

    // Makes the set exactly this: checked first, then only the differences reach the driver, and what was
    // changed is put back when it refuses one. See assign_accessed_by.
    accessed_by_set& operator=(std::initializer_list<location> wanted);
    accessed_by_set& operator=(const accessed_by_set& o);
    void assign(const location_list& wanted);

    bool contains(const location& l) const;
    // Adding what is in it, or taking out what is not, is one query and no more.
    void add(const location& l);
    void discard(const location& l);
    void clear();
    std::size_t size() const;
    inline bool empty() const { return size() == 0; }
    // Devices by ordinal, then the host, as they are now.
    std::vector<location> items() const;

    // Goes over the set as it was when begin() was called.
    class iterator {
    public:
        using value_type = location;
        using difference_type = std::ptrdiff_t;
        iterator() = default;
        inline explicit iterator(accessor_set left) : left_(left) {}
        inline location operator*() const {
            return left_.devices ? location(device{std::countr_zero(left_.devices)}) : location(host{});
        }
        inline iterator& operator++() {
            if (left_.devices)
                left_.devices &= left_.devices - 1;
            else
                left_.host = false;
            return *this;
        }
        inline iterator operator++(int) {
            const auto before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(const iterator&, const iterator&) = default;

    private:
        accessor_set left_;
    };
    inline iterator begin() const { return iterator(now()); }
    inline iterator end() const { return iterator(); }

private:
    accessor_set now() const;
    detail::buffer_state* state_;
};

// Managed memory: the host and every device see it at one address. Getters ask the driver, there is no
// copy of the advice. See cmm.ops for what each operation throws.
class CMM_API managed_buffer : public buffer {
public:
    managed_buffer() = default;
    using buffer::buffer;

    // Borrows managed memory of another allocator, as buffer::from_handle. Throws invalid_argument where
    // the driver says that it is no managed memory.
    static managed_buffer from_handle(void* address, std::size_t bytes, std::shared_ptr<const void> owner = {});

    bool read_mostly() const;
    void read_mostly(bool wanted);
    std::optional<location> preferred_location() const;
    void preferred_location(std::optional<location> wanted);
    std::optional<location> last_prefetch_location() const;
    inline accessed_by_set accessed_by() const { return accessed_by_set(live("accessed_by")); }

    inline report advise(advice a, const location_list& where = host{}) { return cmm::advise(*this, a, where); }
    inline report prefetch(const location& where, stream_ref s) { return cmm::prefetch(*this, where, s); }
    inline report discard(stream_ref s) { return cmm::discard(*this, s); }
    inline report discard_prefetch(const location& where, stream_ref s) {
        return cmm::discard_prefetch(*this, where, s);
    }
    inline report copy_to(const target& dst, stream_ref s) const { return cmm::copy_to(*this, dst, s); }
    inline report copy_from(const target& src, stream_ref s) { return cmm::copy_to(src, *this, s); }

    inline managed_buffer slice(std::size_t offset, std::size_t bytes) const {
        return managed_buffer(make_slice(offset, bytes));
    }
};

struct resource_options {
    std::optional<cmm::device> device = std::nullopt; // default: the current context's, else device 0
    attach attached = attach::global;
};

struct arena_options {
    std::optional<cmm::device> device = std::nullopt;
    attach attached = attach::global;
    std::size_t slab_bytes = std::size_t{64} << 20; // rounded up to 2 MiB; larger allocations get a slab of their size
    std::size_t limit_bytes = 0;                    // of all slabs; 0: no limit
};

struct arena_statistics {
    std::size_t slabs, slab_bytes;    // taken from the driver
    std::size_t pieces, piece_bytes;  // handed out, in whole pages
    std::size_t free_stretches, largest_free;
};

namespace detail {
class arena_state;
}

// Makes managed buffers. Direct: one cuMemAllocManaged each (CUDA 6.0). Arena: page-aligned pieces of large
// slabs; consecutive allocations touch, so that operations on them merge. Thread-safe. Copies share the
// arena, which lives as long as any of its buffers.
class CMM_API managed_memory_resource {
public:
    explicit managed_memory_resource(const resource_options& o = {});
    static managed_memory_resource arena(const arena_options& o = {});

    // `bytes` bytes, page-aligned; zero bytes make an empty buffer without a driver call. Throws
    // out_of_memory after freeing what is retired and asking the collector once; not_supported where the
    // device has no managed memory.
    managed_buffer allocate(std::size_t bytes) const;
    // The same: managed memory is not allocated in stream order.
    inline managed_buffer allocate(std::size_t bytes, stream_ref) const { return allocate(bytes); }
    // Buffers that touch in the order given, all or none; from a direct resource, slices of one allocation.
    std::vector<managed_buffer> allocate_batch(std::span<const std::size_t> sizes) const;
    inline std::vector<managed_buffer> allocate_batch(std::initializer_list<std::size_t> sizes) const {
        return allocate_batch(std::span(sizes.begin(), sizes.size()));
    }

    inline bool is_arena() const noexcept { return static_cast<bool>(arena_); }
    inline cmm::device device() const noexcept { return cmm::device{device_}; }
    // Zeros for a direct resource.
    arena_statistics stats() const;
    // Gives wholly free slabs back to the driver; bytes given back.
    std::size_t trim() const;

private:
    int device_ = 0;
    attach attached_ = attach::global;
    std::shared_ptr<detail::arena_state> arena_;
};

// Pinned host memory (cuMemHostAlloc): the fast end of copies.
class CMM_API pinned_memory_resource {
public:
    buffer allocate(std::size_t bytes) const;
};

// Device memory (cuMemAlloc).
class CMM_API device_memory_resource {
public:
    explicit device_memory_resource(cmm::device d = cmm::device{0});
    buffer allocate(std::size_t bytes) const;
    inline cmm::device device() const noexcept { return device_; }

private:
    cmm::device device_;
};

// Asked once when an allocation runs out of memory, before it is tried again: a language's garbage
// collector. Null takes it away.
CMM_API void set_collector(void (*collect)(void*), void* user) noexcept;

} // namespace cmm
