// SPDX-License-Identifier: Apache-2.0
// Resources: direct managed, pinned and device memory, and the way out of an empty card.
module;
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>
module cmm.managed;
import :allocate;
import cmm.context;
import cmm.driver;

namespace cmm {

namespace {

struct collector {
    void (*call)(void*) = nullptr;
    void* user = nullptr;
};
std::mutex collector_lock;
collector the_collector;

int current_device_or_first() {
    driver::context_handle now = nullptr;
    int ordinal = 0;
    if (driver::ok(driver::current_context(now)) && now)
        driver::context_device(ordinal);
    return ordinal;
}

int device_of(const char* operation, const std::optional<device>& wanted) {
    if (!wanted)
        return current_device_or_first();
    detail::require_device({operation, "device"}, wanted->ordinal());
    return wanted->ordinal();
}

attach checked(attach a) {
    const auto value = static_cast<std::uint32_t>(a);
    if (value != 1 && value != 2 && value != 4)
        throw invalid_argument({"managed_memory_resource", "attached"},
                               fmt::format("{} is no attachment; allowed are 1 (global), 2 (host) and 4 (single)",
                                           value));
    return a;
}

driver::result managed_call(const detail::place& p, std::size_t bytes, std::uintptr_t& out) {
    return driver::allocate_managed(bytes, p.attached, out);
}
driver::result pinned_call(const detail::place&, std::size_t bytes, std::uintptr_t& out) {
    return driver::allocate_pinned(bytes, out);
}
driver::result device_call(const detail::place&, std::size_t bytes, std::uintptr_t& out) {
    return driver::allocate_device(bytes, out);
}

buffer whole(const char* entry, memory_kind kind, const detail::place& p, std::size_t bytes,
             driver::result (*call)(const detail::place&, std::size_t, std::uintptr_t&)) {
    std::uintptr_t at = 0;
    if (bytes != 0)
        at = detail::allocate_or_collect({"allocate", "bytes"}, p.device, bytes, entry, call, p);
    auto* const give_back = bytes == 0                    ? nullptr
                            : kind == memory_kind::pinned ? &detail::free_pinned
                                                          : &detail::free_managed;
    return buffer(detail::make_root({range(at, bytes), kind, p, at, bytes, 0, give_back}, {}));
}

} // namespace

void set_collector(void (*collect)(void*), void* user) noexcept {
    const std::lock_guard guard(collector_lock);
    the_collector = {collect, user};
}

namespace detail {

buffer_state* make_root(const root_facts& f, std::shared_ptr<const void> owner) {
    auto s = std::make_unique<buffer_state>();
    s->where = f.where;
    s->kind = f.kind;
    s->attached = f.at.attached;
    s->device = f.at.device;
    s->context = primary_context(f.at.device);
    s->area = f.area;
    s->area_bytes = f.area_bytes;
    s->padding = f.padding;
    s->give_back = f.give_back;
    s->owner = std::move(owner);
    return s.release();
}

std::uintptr_t allocate_or_collect(const error_site& site, int ordinal, std::size_t bytes, const char* entry,
                                   driver::result (*call)(const place&, std::size_t, std::uintptr_t&),
                                   const place& p) {
    collect();
    const current_context in(primary_context(ordinal));
    const relaxed_capture relaxed;
    std::uintptr_t at = 0;
    auto r = call(p, bytes, at);
    if (r == driver::result::out_of_memory) [[unlikely]] {
        drain();
        collector c;
        {
            const std::lock_guard guard(collector_lock);
            c = the_collector;
        }
        if (c.call) {
            c.call(c.user);
            drain();
        }
        r = call(p, bytes, at);
    }
    if (!driver::ok(r)) [[unlikely]]
        driver::refuse(r, site, entry, fmt::format("{}({} bytes) on device:{}", entry, bytes, ordinal));
    return at;
}

std::size_t batch_bytes(std::span<const std::size_t> sizes, std::size_t least) {
    const auto page = page_size::of_system();
    std::size_t total = 0;
    for (const auto bytes : sizes) {
        const auto whole = page.up(std::max(bytes, least));
        if (whole > SIZE_MAX / 2 - total)
            throw invalid_argument({"allocate_batch", "sizes"}, "the sizes add up to more than an address space");
        total += whole;
    }
    return total;
}

std::uintptr_t allocate_managed(const place& p, std::size_t bytes) {
    const error_site site{"allocate", "bytes"};
    require_device({"allocate", "device"}, p.device); // another driver may have been opened since
    const auto& facts = driver::get_facts().devices[static_cast<std::size_t>(p.device)];
    if (!facts.managed_memory)
        throw not_supported({"allocate", "device"},
                            fmt::format("device:{} ({}) has no managed memory", p.device, facts.name));
    return allocate_or_collect(site, p.device, bytes, "cuMemAllocManaged", &managed_call, p);
}

} // namespace detail

managed_memory_resource::managed_memory_resource(const resource_options& o)
    : device_(device_of("managed_memory_resource", o.device)), attached_(checked(o.attached)) {}

managed_memory_resource managed_memory_resource::arena(const arena_options& o) {
    managed_memory_resource out(resource_options{o.device, o.attached});
    if (o.slab_bytes == 0)
        throw invalid_argument({"arena", "slab_bytes"}, "0 bytes; a slab has at least one page");
    out.arena_ = std::make_shared<detail::arena_state>(detail::place{out.device_, out.attached_}, o.slab_bytes,
                                                       o.limit_bytes);
    return out;
}

managed_buffer managed_memory_resource::allocate(std::size_t bytes) const {
    const detail::place p{device_, attached_};
    if (bytes == 0)
        return managed_buffer(detail::make_root({{}, memory_kind::managed, p, 0, 0, 0, nullptr}, {}));
    if (arena_)
        return managed_buffer(arena_->allocate(bytes));
    const auto at = detail::allocate_managed(p, bytes);
    return managed_buffer(
        detail::make_root({range(at, bytes), memory_kind::managed, p, at, bytes, 0, &detail::free_managed}, {}));
}

std::vector<managed_buffer> managed_memory_resource::allocate_batch(std::span<const std::size_t> sizes) const {
    std::vector<managed_buffer> out;
    out.reserve(sizes.size());
    if (arena_) {
        std::vector<detail::buffer_state*> states;
        states.reserve(sizes.size());
        arena_->allocate_batch(sizes, states);
        for (auto* s : states)
            out.emplace_back(s);
        return out;
    }
    const auto page = page_size::of_system();
    const auto whole_buffer = allocate(detail::batch_bytes(sizes, 0));
    std::size_t offset = 0;
    for (const auto bytes : sizes) {
        out.push_back(whole_buffer.slice(offset, bytes));
        offset += page.up(bytes);
    }
    return out;
}

arena_statistics managed_memory_resource::stats() const {
    if (!arena_)
        return {};
    const auto s = arena_->stats();
    return {s.slabs, s.slab_bytes, s.pieces, s.piece_bytes, s.free_stretches, s.largest_free};
}

std::size_t managed_memory_resource::trim() const {
    collect();
    return arena_ ? arena_->trim() : 0;
}

buffer pinned_memory_resource::allocate(std::size_t bytes) const {
    const detail::place p{current_device_or_first(), attach::global};
    return whole("cuMemHostAlloc", memory_kind::pinned, p, bytes, &pinned_call);
}

device_memory_resource::device_memory_resource(cmm::device d) : device_(d) {
    detail::require_device({"device_memory_resource", "device"}, d.ordinal());
}

buffer device_memory_resource::allocate(std::size_t bytes) const {
    return whole("cuMemAlloc", memory_kind::device, {device_.ordinal(), attach::global}, bytes, &device_call);
}

} // namespace cmm
