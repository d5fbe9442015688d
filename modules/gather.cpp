// SPDX-License-Identifier: Apache-2.0
module;
#include <algorithm>
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>
module cmm.gather;
import cmm.buffer;

namespace cmm::detail {

namespace {

error_site site_of(const demands& d, const char* argument, std::size_t index) {
    return {d.operation, argument, index};
}

[[noreturn]] void refuse_kind(const demands& d, const target& t, std::size_t index, memory_kind k) {
    const auto advice_text = k == memory_kind::pageable
                                 ? "no device here has pageableMemoryAccess"
                                 : "allocate it from a managed_memory_resource";
    throw invalid_argument(site_of(d, "targets", index),
                           fmt::format("{:#x} is not managed memory ({}, {} bytes); {}", t.address(),
                                       to_string(k), t.bytes(), advice_text));
}

// Whether the memory can be advised and moved at all.
void require_kind(const demands& d, const target& t, std::size_t index, const memory_facts& f) {
    switch (f.kind) {
    case memory_kind::managed: return;
    case memory_kind::managed_pool:
        if (d.is_advice)
            throw not_supported(site_of(d, "targets", index),
                                fmt::format("{:#x} is managed memory of a driver's pool, and the driver declines "
                                            "advice for it; allocate it from a managed_memory_resource "
                                            "(its arena serves many small pieces)",
                                            t.address()));
        return;
    case memory_kind::pageable:
        for (const auto& device : driver::get_facts().devices)
            if (!device.pageable_memory_access)
                refuse_kind(d, t, index, f.kind);
        if (d.merging == plan::merging::bytes)
            throw not_supported(site_of(d, "targets", index),
                                fmt::format("{:#x} is pageable host memory, and {} goes by the batch entry points "
                                            "alone, which take managed memory only",
                                            t.address(), d.what));
        return;
    default: refuse_kind(d, t, index, f.kind);
    }
}

} // namespace

bool honour_place(const demands& d, const location& l, std::size_t index, bool paired, hint_policy hints) {
    if (!d.place || !l.is_device())
        return true;
    const auto& facts = driver::get_facts().devices[static_cast<std::size_t>(l.id())];
    if (facts.concurrent_managed_access) [[likely]]
        return true;
    error_site site{d.operation, "locations"};
    if (paired)
        site.index = index;
    cannot_honour(hints, site,
                  fmt::format("{} to device:{} cannot be done: the device ({}) has no "
                              "concurrentManagedAccess; leave it out, or choose another hint_policy",
                              d.what, l.id(), facts.name));
    return false;
}

void cannot_honour(hint_policy p, const error_site& site, std::string_view text) {
    if (p == hint_policy::strict)
        throw not_supported(site, std::string(text));
    if (p == hint_policy::warn)
        warn_once(fmt::format("{}.{}", site.operation, site.argument), error_text(site, text));
}

namespace {

// A node that the system does not have: the driver would refuse it in the middle of a batch.
void require_node(const error_site& site, const location& l) {
    const auto& known = driver::get_facts().numa_ids;
    if (l.kind() != location_kind::host_numa || known.empty() || std::ranges::binary_search(known, l.id()))
        return;
    throw invalid_argument(site, fmt::format("{} is not there; this machine has {} host NUMA node{}, the last "
                                             "one is {}",
                                             to_string(l), known.size(), known.size() == 1 ? "" : "s",
                                             known.back()));
}

} // namespace

void require_location(const demands& d, const location& l, std::size_t index, bool paired) {
    error_site site{d.operation, "locations"};
    if (paired)
        site.index = index;
    if (l.is_device())
        require_device(site, l.id());
    if (!l.is_numa())
        return;
    if (d.device_or_host)
        throw invalid_argument(site, fmt::format("{} is no accessor; allowed are devices and the host",
                                                 to_string(l)));
    if (!driver::get_features().locations)
        throw not_supported(site, fmt::format("{} needs a driver of CUDA 12.2 or newer, and this one offers "
                                              "CUDA {}.{}; use the host instead",
                                              to_string(l), driver::get_facts().level / 1000,
                                              driver::get_facts().level % 1000 / 10));
    require_node(site, l);
}

gathered gather(const demands& d, const target_list& targets, const location_list& where, hint_policy hints,
                plan::range_planner& out) {
    require_pairs(d.operation, targets, where);
    const bool paired = where.paired();
    if (!paired)
        require_location(d, where[0], 0, false);
    out.clear();
    memory_lookup facts_of({d.operation, "targets"});
    gathered g;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const target t = targets[i];
        const location l = where[i];
        if (paired)
            require_location(d, l, i, true);
        if (t.bytes() == 0 && !t.is_closed())
            continue;
        const auto f = facts_of(t, i);
        require_kind(d, t, i, f);
        if (!honour_place(d, l, i, paired, hints)) {
            ++g.ignored;
            continue;
        }
        if (g.count++ == 0) {
            g.address = t.address();
            g.device_hint = f.device < 0 ? 0 : f.device;
        }
        g.bytes += t.bytes();
        g.pageable |= f.kind == memory_kind::pageable;
        const auto owned = d.merging == plan::merging::bytes ? f.padding : 0;
        out.add({t.address(), t.bytes() + owned, f.area, l, static_cast<std::uint32_t>(i)});
    }
    return g;
}

void remember_use(const target_list& targets, stream_call& call) {
    timeline_ptr end;
    const buffer_state* last = nullptr;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        auto* s = targets[i].state();
        if (!s || s->root == last)
            continue;
        if (!end)
            end = call.done_at();
        if (end)
            mark_use(*s->root, end.get());
        last = s->root;
    }
}

plan::range_planner& thread_planner() {
    thread_local plan::range_planner planner;
    return planner;
}

} // namespace cmm::detail
