// SPDX-License-Identifier: Apache-2.0
#include "managed.h"

#include <algorithm>
#include <cstring>

namespace sim {
namespace {

bool all_devices(const world& w, const std::vector<int>& switches) {
    for (int device = 0; device < w.config.devices; ++device)
        if (per_device(switches, device) == 0)
            return false;
    return true;
}

bool is_type(location where) {
    return where.type >= location_type::device && where.type <= location_type::host_numa_current;
}

bool is_device(location where) { return where.type == location_type::device; }

void check_concurrent_if_device(const world& w, location where) {
    if (is_device(where))
        check_concurrent(w, where.id);
}

void check_preferred(const world& w, location where, result bad_device) {
    refuse_if(is_device(where) && !w.device_exists(where.id), bad_device);
    refuse_if(where.type == location_type::host_numa &&
              (where.id < 0 || where.id >= w.config.numa_nodes));
    check_concurrent_if_device(w, where);
}

void check_accessor(const world& w, location where, result bad_device) {
    refuse_if(!is_device(where) && where.type != location_type::host);
    refuse_if(is_device(where) && !w.device_exists(where.id), bad_device);
    check_concurrent_if_device(w, where);
}

// What the driver keeps and shows: the host has id -1, the current node is that of the thread.
location shown(location where) {
    if (where.type == location_type::host)
        return {where.type, cpu_ordinal};
    if (where.type == location_type::host_numa_current)
        return {where.type, 0};
    return where;
}

// A machine with one node takes advice with a NUMA location, and keeps what was there before.
bool is_ignored(const world& w, location where) {
    return w.config.numa_nodes == 1 && (where.type == location_type::host_numa ||
                                        where.type == location_type::host_numa_current);
}

void set_accessor(world& w, page_span pages, location where, bool on) {
    if (is_device(where))
        w.pages.accessed_by_device(pages, where.id, on);
    else
        w.pages.accessed_by_host(pages, on);
}

page_span pages_of(const world& w, range of) {
    return page_span::touching(of.address, of.bytes, w.config.page_size);
}

void check_location(const world& w, advice given, location where, result bad_device) {
    if (given == advice::set_preferred_location)
        check_preferred(w, where, bad_device);
    if (given == advice::set_accessed_by || given == advice::unset_accessed_by)
        check_accessor(w, where, bad_device);
}

void apply(world& w, page_span pages, advice given, location where) {
    switch (given) {
    case advice::set_read_mostly:
    case advice::unset_read_mostly:
        return w.pages.read_mostly(pages, given == advice::set_read_mostly);
    case advice::set_preferred_location: return w.pages.preferred(pages, shown(where));
    case advice::unset_preferred_location: return w.pages.preferred(pages, {});
    case advice::set_accessed_by:
    case advice::unset_accessed_by:
        return set_accessor(w, pages, where, given == advice::set_accessed_by);
    }
}

std::vector<block_ref> users_of(const block_ref& held) {
    return held == nullptr ? std::vector<block_ref>{} : std::vector{held};
}

// Old contents must not survive by luck: a test that relies on them has to fail.
void spoil(std::byte* bytes, std::size_t count) { std::memset(bytes, 0xA5, count); }

} // namespace

location from_ordinal(int ordinal) {
    if (ordinal == cpu_ordinal)
        return {location_type::host, 0};
    return {location_type::device, ordinal};
}

block_ref managed_memory(const world& w, range of) {
    refuse_if(of.address == 0 || of.bytes == 0 || of.address + of.bytes < of.address);
    block_ref held = w.memory.share(of.address);
    if (held == nullptr && !w.memory.overlaps(of.address, of.bytes) &&
        all_devices(w, w.config.pageable))
        return nullptr;
    refuse_if(held == nullptr || held->kind != memory_kind::managed ||
              !held->contains(of.address, of.bytes));
    return held;
}

block_ref managed_allocation(const world& w, range of) {
    block_ref held = managed_memory(w, of);
    refuse_if(held == nullptr);
    return held;
}

void advise(world& w, range of, int given, location where, naming how) {
    refuse_unsafe_in_capture(w);
    refuse_if(given < 1 || given > 6 || !is_type(where));
    const block_ref held = managed_memory(w, of);
    refuse_if(held != nullptr && held->pool != nullptr, result::not_supported);
    const result bad_device =
        how == naming::ordinal ? result::invalid_device : result::invalid_value;
    check_location(w, static_cast<advice>(given), where, bad_device);
    if (!is_ignored(w, where))
        apply(w, pages_of(w, of), static_cast<advice>(given), where);
}

void check_concurrent(const world& w, int device) {
    refuse_if(per_device(w.config.concurrent, device) == 0, result::invalid_device);
}

void check_target(const world& w, location where, result bad_device) {
    refuse_if(!is_type(where));
    check_preferred(w, where, bad_device);
}

void prefetch(world& w, stream& on, range of, location where) {
    const block_ref held = managed_memory(w, of);
    const page_span pages = pages_of(w, of);
    const location to = shown(where);
    submit(w, on,
           {.uses = users_of(held),
            .run = {},
            .settle =
                [=](world& in) {
                    if (held == nullptr || !held->freed)
                        in.pages.resident(pages, to);
                },
            .after = {}});
    w.pages.prefetched(pages, to);
}

void discard(world& w, stream& on, range of) {
    const block_ref held = managed_allocation(w, of);
    const page_span pages = page_span::within(of.address, of.bytes, w.config.page_size);
    std::byte* first = held->storage + (pages.first * w.config.page_size - held->address);
    const std::size_t bytes = pages.empty() ? 0 : (pages.last - pages.first) * w.config.page_size;
    submit(w, on,
           {.uses = {held},
            .run =
                [=] {
                    if (bytes != 0)
                        spoil(first, bytes);
                },
            .settle =
                [=](world& in) {
                    if (!held->freed)
                        in.pages.discarded(pages);
                },
            .after = {}});
}

} // namespace sim
