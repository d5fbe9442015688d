// SPDX-License-Identifier: Apache-2.0
// Managed buffers, with advice as properties, and the resources that make buffers.
#ifndef CMM_CPP_MANAGED_HPP
#define CMM_CPP_MANAGED_HPP

#include <cmm/cmm.h>
#include <cmm/cpp/copy.hpp>
#include <cmm/cpp/ops.hpp>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace cmm {
inline namespace over_c {

// The devices and the host that have a buffer mapped: a live set, asked of the driver at each use.
// Once the buffer is closed it throws closed. Only devices and the host can be in it.
class accessed_by_set {
public:
    explicit accessed_by_set(cmm_buffer b) noexcept : target_(cmm_of(b)) {}
    accessed_by_set(const accessed_by_set&) = default;

    // Makes the set exactly this: checked first, then only the differences reach the driver, and
    // what was changed is put back when it refuses one.
    accessed_by_set& operator=(std::initializer_list<location> wanted) {
        assign(location_list(wanted));
        return *this;
    }
    accessed_by_set& operator=(const accessed_by_set& o) {
        if (this != &o)
            assign(o.items());
        return *this;
    }
    void assign(const location_list& wanted) {
        detail::check(cmm_assign_accessed_by(target_, wanted.c_data(), wanted.size()));
    }

    bool contains(const location& l) const {
        for (const auto& item : items())
            if (item == l)
                return true;
        return false;
    }
    void add(const location& l) { detail::check(cmm_add_accessed_by(target_, l.c_value())); }
    void discard(const location& l) {
        detail::check(cmm_discard_accessed_by(target_, l.c_value()));
    }
    void clear() { assign(location_list(std::initializer_list<location>())); }
    std::size_t size() const { return items().size(); }
    bool empty() const { return size() == 0; }
    // Devices by ordinal, then the host, as they are now.
    std::vector<location> items() const {
        std::uint64_t devices = 0;
        bool with_host = false;
        detail::check(cmm_accessed_by(target_, &devices, &with_host));
        std::vector<location> out;
        for (int d = 0; d < 64; ++d)
            if (devices >> d & 1U)
                out.emplace_back(device{d});
        if (with_host)
            out.emplace_back(host{});
        return out;
    }

    // Goes over the set as it was when begin() was called.
    class iterator {
    public:
        using value_type = location;
        using difference_type = std::ptrdiff_t;
        using reference = location;
        using pointer = const location*;
        using iterator_category = std::input_iterator_tag;
        iterator() = default;
        explicit iterator(std::vector<location> all)
            : all_(std::make_shared<const std::vector<location>>(std::move(all))) {}
        location operator*() const { return (*all_)[at_]; }
        iterator& operator++() {
            ++at_;
            return *this;
        }
        iterator operator++(int) {
            const auto before = *this;
            ++at_;
            return before;
        }
        friend bool operator==(const iterator& a, const iterator& b) noexcept {
            return a.left() == b.left();
        }
        friend bool operator!=(const iterator& a, const iterator& b) noexcept { return !(a == b); }

    private:
        std::size_t left() const noexcept { return all_ ? all_->size() - at_ : 0; }
        std::shared_ptr<const std::vector<location>> all_;
        std::size_t at_ = 0;
    };
    iterator begin() const { return iterator(items()); }
    iterator end() const { return iterator(); }

private:
    cmm_target target_;
};

// Managed memory: the host and every device see it at one address. Getters ask the driver.
class managed_buffer : public buffer {
public:
    managed_buffer() = default;
    using buffer::buffer;

    // Throws invalid_argument where the driver says that it is no managed memory.
    static managed_buffer from_handle(void* address, std::size_t bytes,
                                      std::shared_ptr<const void> owner = {}) {
        return managed_buffer(borrow(address, bytes, true, std::move(owner)));
    }

    bool read_mostly() const { return cmm::read_mostly(*this); }
    void read_mostly(bool wanted) {
        detail::check(cmm_set_read_mostly(cmm_of(c_handle()), wanted));
    }
    std::optional<location> preferred_location() const { return cmm::preferred_location(*this); }
    void preferred_location(std::optional<location> wanted) {
        detail::check(cmm_set_preferred_location(cmm_of(c_handle()), detail::as_c(wanted)));
    }
    std::optional<location> last_prefetch_location() const {
        return cmm::last_prefetch_location(*this);
    }
    accessed_by_set accessed_by() const {
        data(); // throws closed
        return accessed_by_set(c_handle());
    }

    report advise(advice a, const location_list& where = host{}) {
        return cmm::advise(*this, a, where);
    }
    report prefetch(const location& where, stream_ref s) { return cmm::prefetch(*this, where, s); }
    report discard(stream_ref s) { return cmm::discard(*this, s); }
    report discard_prefetch(const location& where, stream_ref s) {
        return cmm::discard_prefetch(*this, where, s);
    }
    report copy_to(const target& dst, stream_ref s) const { return cmm::copy_to(*this, dst, s); }
    report copy_from(const target& src, stream_ref s) { return cmm::copy_to(src, *this, s); }

    managed_buffer slice(std::size_t offset, std::size_t bytes) const {
        return managed_buffer(make_slice(offset, bytes));
    }
};

enum class attach : std::uint32_t { global = 1, host = 2, single = 4 };

struct resource_options {
    std::optional<cmm::device> device =
        std::nullopt; // default: the current context's, else device 0
    attach attached = attach::global;
};
struct arena_options {
    std::optional<cmm::device> device = std::nullopt;
    attach attached = attach::global;
    std::size_t slab_bytes = std::size_t{64} << 20;
    std::size_t limit_bytes = 0; // of all slabs; 0: no limit
};
struct arena_statistics {
    std::size_t slabs, slab_bytes;
    std::size_t pieces, piece_bytes;
    std::size_t free_stretches, largest_free;
};

namespace detail {

// A resource's handle, shared by copies.
class shared_resource {
public:
    explicit shared_resource(const cmm_resource_options& o) {
        cmm_resource made{gone};
        check(cmm_resource_create(&o, &made));
        c_ = std::shared_ptr<const cmm_resource>(new cmm_resource(made), [](const cmm_resource* r) {
            cmm_resource_close(*r);
            delete r;
        });
    }
    cmm_resource get() const noexcept { return *c_; }
    cmm_buffer allocate(std::size_t bytes) const {
        cmm_buffer out{gone};
        check(cmm_allocate(get(), bytes, &out));
        return out;
    }
    cmm::device device() const {
        std::int32_t out = 0;
        check(cmm_resource_device(get(), &out));
        return cmm::device{out};
    }

private:
    std::shared_ptr<const cmm_resource> c_;
};

inline cmm_resource_options resource_of(std::int32_t kind,
                                        const std::optional<cmm::device>& d) noexcept {
    cmm_resource_options o = CMM_RESOURCE_OPTIONS_INIT;
    o.kind = kind;
    o.device = d ? d->ordinal() : -1;
    return o;
}

} // namespace detail

// Makes managed buffers, directly (one allocation of the driver each) or as page-aligned pieces of
// large slabs. Thread-safe. Copies share the arena, which lives as long as any of its buffers.
class managed_memory_resource {
public:
    explicit managed_memory_resource(const resource_options& o = {}) : c_(as_c(o)) {}
    static managed_memory_resource arena(const arena_options& o = {}) {
        return managed_memory_resource(as_c(o));
    }

    managed_buffer allocate(std::size_t bytes) const { return managed_buffer(c_.allocate(bytes)); }
    managed_buffer allocate(std::size_t bytes, stream_ref) const { return allocate(bytes); }
    // Buffers that touch in the order given, all or none. `sizes`: a vector, an array, a span.
    template <class Sizes,
              std::enable_if_t<std::is_same_v<detail::element_of<Sizes>, std::size_t>, int> = 0>
    std::vector<managed_buffer> allocate_batch(const Sizes& sizes) const {
        std::vector<cmm_buffer> made(std::size(sizes));
        detail::check(cmm_allocate_batch(c_.get(), std::data(sizes), made.size(), made.data()));
        return std::vector<managed_buffer>(made.begin(), made.end());
    }
    std::vector<managed_buffer> allocate_batch(std::initializer_list<std::size_t> sizes) const {
        return allocate_batch<std::initializer_list<std::size_t>>(sizes);
    }

    bool is_arena() const noexcept {
        bool out = false;
        return cmm_resource_is_arena(c_.get(), &out) == CMM_OK && out;
    }
    cmm::device device() const { return c_.device(); }
    arena_statistics stats() const {
        cmm_arena_statistics s = CMM_ARENA_STATISTICS_INIT;
        detail::check(cmm_resource_stats(c_.get(), &s));
        return {s.slabs, s.slab_bytes, s.pieces, s.piece_bytes, s.free_stretches, s.largest_free};
    }
    // Gives wholly free slabs back to the driver; bytes given back.
    std::size_t trim() const {
        std::uint64_t out = 0;
        detail::check(cmm_resource_trim(c_.get(), &out));
        return out;
    }

private:
    explicit managed_memory_resource(const cmm_resource_options& o) : c_(o) {}
    static cmm_resource_options as_c(const resource_options& o) noexcept {
        auto c = detail::resource_of(CMM_RESOURCE_MANAGED, o.device);
        c.attached = static_cast<std::int32_t>(o.attached);
        return c;
    }
    static cmm_resource_options as_c(const arena_options& o) noexcept {
        auto c = detail::resource_of(CMM_RESOURCE_ARENA, o.device);
        c.attached = static_cast<std::int32_t>(o.attached);
        c.slab_bytes = o.slab_bytes;
        c.limit_bytes = o.limit_bytes;
        return c;
    }
    detail::shared_resource c_;
};

// Pinned host memory: the fast end of copies.
class pinned_memory_resource {
public:
    buffer allocate(std::size_t bytes) const { return buffer(c_.allocate(bytes)); }

private:
    detail::shared_resource c_{detail::resource_of(CMM_RESOURCE_PINNED, std::nullopt)};
};

// Device memory.
class device_memory_resource {
public:
    explicit device_memory_resource(cmm::device d = cmm::device{0})
        : c_(detail::resource_of(CMM_RESOURCE_DEVICE, d)), device_(d) {}
    buffer allocate(std::size_t bytes) const { return buffer(c_.allocate(bytes)); }
    cmm::device device() const noexcept { return device_; }

private:
    detail::shared_resource c_;
    cmm::device device_;
};

} // namespace over_c
} // namespace cmm

#endif
