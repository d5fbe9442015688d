// SPDX-License-Identifier: Apache-2.0
#include "pages.h"

#include <algorithm>

namespace sim {
namespace {

using interval = boost::icl::right_open_interval<std::uint64_t>;

interval as_interval(page_span pages) { return {pages.first, pages.last}; }

std::uint64_t packed(location where) {
    return static_cast<std::uint64_t>(where.type) << 32 | static_cast<std::uint32_t>(where.id);
}

location unpacked(std::uint64_t value) {
    return {static_cast<location_type>(value >> 32),
            static_cast<int>(static_cast<std::uint32_t>(value))};
}

template <class Set> void put(Set& set, page_span pages, bool on) {
    if (on)
        set.add(as_interval(pages));
    else
        set.subtract(as_interval(pages));
}

template <class Map> std::uint64_t value_at(const Map& map, std::uint64_t page) {
    const auto found = map.find(page);
    return found == map.end() ? 0 : found->second;
}

} // namespace

page_span page_span::touching(device_ptr address, std::size_t bytes, std::size_t page_size) {
    return {address / page_size, (address + bytes - 1) / page_size + 1};
}

page_span page_span::within(device_ptr address, std::size_t bytes, std::size_t page_size) {
    const page_span inner{(address + page_size - 1) / page_size, (address + bytes) / page_size};
    return {inner.first, std::max(inner.first, inner.last)};
}

void page_map::read_mostly(page_span pages, bool on) { put(read_mostly_, pages, on); }

void page_map::accessed_by_host(page_span pages, bool on) { put(host_access_, pages, on); }

void page_map::accessed_by_device(page_span pages, int device, bool on) {
    const auto bit = std::uint64_t{1} << device;
    if (on)
        device_access_.add({as_interval(pages), bit});
    else
        device_access_.subtract({as_interval(pages), bit});
}

void page_map::assign(locations& map, page_span pages, location where) {
    if (where.type == location_type::none)
        map.erase(as_interval(pages));
    else
        map.set({as_interval(pages), packed(where)});
}

void page_map::preferred(page_span pages, location where) { assign(preferred_, pages, where); }

void page_map::prefetched(page_span pages, location where) {
    assign(prefetched_, pages, where);
    prefetches_.add({as_interval(pages), 1});
}

void page_map::resident(page_span pages, location where) { assign(resident_, pages, where); }

void page_map::discarded(page_span pages) {
    if (pages.empty())
        return;
    discards_.add({as_interval(pages), 1});
    resident_.erase(as_interval(pages));
}

void page_map::forget(page_span pages) {
    const auto gone = as_interval(pages);
    read_mostly_.subtract(gone);
    host_access_.subtract(gone);
    device_access_.erase(gone);
    preferred_.erase(gone);
    prefetched_.erase(gone);
    resident_.erase(gone);
    prefetches_.erase(gone);
    discards_.erase(gone);
}

bool page_map::read_mostly(page_span pages) const {
    return boost::icl::contains(read_mostly_, as_interval(pages));
}

// Equal neighbours are one interval of the map, so that one look-up decides.
location page_map::common(const locations& map, page_span pages) {
    const auto found = map.find(pages.first);
    if (found == map.end() || found->first.upper() < pages.last)
        return {};
    return unpacked(found->second);
}

location page_map::preferred(page_span pages) const { return common(preferred_, pages); }

location page_map::prefetched(page_span pages) const { return common(prefetched_, pages); }

accessors page_map::accessed_by(page_span pages) const {
    accessors shared{.devices = ~std::uint64_t{0},
                     .host = boost::icl::contains(host_access_, as_interval(pages))};
    std::uint64_t covered = pages.first;
    for (auto at = device_access_.find(covered); covered < pages.last; ++at) {
        if (at == device_access_.end() || at->first.lower() > covered)
            return {.devices = 0, .host = shared.host};
        shared.devices &= at->second;
        covered = at->first.upper();
    }
    return shared;
}

cmm_sim_page page_map::at(std::uint64_t page) const {
    const page_span one{page, page + 1};
    const location wanted = preferred(one);
    const location last = prefetched(one);
    const location here = common(resident_, one);
    const accessors access = accessed_by(one);
    return {.read_mostly = read_mostly(one) ? 1 : 0,
            .preferred_type = static_cast<int>(wanted.type),
            .preferred_id = wanted.id,
            .prefetch_type = static_cast<int>(last.type),
            .prefetch_id = last.id,
            .resident_type = static_cast<int>(here.type),
            .resident_id = here.id,
            .accessed_by_devices = access.devices,
            .accessed_by_host = access.host ? 1 : 0,
            .prefetches = value_at(prefetches_, page),
            .discards = value_at(discards_, page)};
}

} // namespace sim
