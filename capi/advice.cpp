// SPDX-License-Identifier: Apache-2.0
// The advice of one range.
#include <cmm/cmm.h>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
import cmm.capi;

using namespace cmm;
using namespace cmm::capi;

namespace {

// Calls `f` with the target, its buffer held.
template <class F> auto with(const cmm_target& t, const char* operation, F f) {
    if (t.buffer.id == 0)
        return f(target(t.address, t.bytes));
    const boundary::held<managed_buffer> b(t.buffer.id, boundary::object_kind::buffer,
                                           {operation, "buffer"});
    return f(target(*b));
}

location checked(cmm_location l, const char* operation) {
    return boundary::as_location(as_code(l), {operation, "location"});
}

bool is_in(const accessor_set& set, cmm_location l) noexcept {
    if (l.kind == CMM_DEVICE)
        return l.id >= 0 && l.id < 64 && (set.devices >> static_cast<unsigned>(l.id) & 1U) != 0;
    return l.kind == CMM_HOST && set.host;
}

} // namespace

cmm_status cmm_read_mostly(cmm_target t, bool* out) noexcept {
    return guarded([&] {
        wanted(out, "read_mostly") =
            with(t, "read_mostly", [](const target& of) { return read_mostly(of); });
    });
}

cmm_status cmm_set_read_mostly(cmm_target t, bool wanted) noexcept {
    return guarded([&] {
        with(t, "read_mostly", [&](const target& of) {
            return advise(of, wanted ? advice::set_read_mostly : advice::unset_read_mostly);
        });
    });
}

cmm_status cmm_preferred_location(cmm_target t, cmm_location* out) noexcept {
    return guarded([&] {
        wanted(out, "preferred_location") = as_location(boundary::as_code(with(
            t, "preferred_location", [](const target& of) { return preferred_location(of); })));
    });
}

cmm_status cmm_set_preferred_location(cmm_target t, cmm_location wanted) noexcept {
    return guarded([&] {
        with(t, "preferred_location", [&](const target& of) {
            return wanted.kind == CMM_NOWHERE ? advise(of, advice::unset_preferred_location)
                                              : advise(of, advice::set_preferred_location,
                                                       checked(wanted, "preferred_location"));
        });
    });
}

cmm_status cmm_last_prefetch_location(cmm_target t, cmm_location* out) noexcept {
    return guarded([&] {
        wanted(out, "last_prefetch_location") =
            as_location(boundary::as_code(with(t, "last_prefetch_location", [](const target& of) {
                return last_prefetch_location(of);
            })));
    });
}

cmm_status cmm_accessed_by(cmm_target t, uint64_t* devices, bool* host) noexcept {
    return guarded([&] {
        const auto set = with(t, "accessed_by", [](const target& of) { return accessors(of); });
        if (devices)
            *devices = set.devices;
        if (host)
            *host = set.host;
    });
}

cmm_status cmm_assign_accessed_by(cmm_target t, const cmm_location* wanted, size_t count) noexcept {
    return guarded([&] {
        const auto all = as_places(wanted, count == CMM_FOR_ALL ? 1 : count, "assign_accessed_by");
        const boundary::held_locations locations("assign_accessed_by", all.codes, true);
        with(t, "accessed_by", [&](const target& of) { assign_accessed_by(of, locations.list()); });
    });
}

cmm_status cmm_add_accessed_by(cmm_target t, cmm_location l) noexcept {
    return guarded([&] {
        const location who = checked(l, "accessed_by");
        with(t, "accessed_by", [&](const target& of) {
            if (!is_in(accessors(of), l))
                advise(of, advice::set_accessed_by, who);
        });
    });
}

cmm_status cmm_discard_accessed_by(cmm_target t, cmm_location l) noexcept {
    return guarded([&] {
        const location who = checked(l, "accessed_by");
        with(t, "accessed_by", [&](const target& of) {
            if (is_in(accessors(of), l))
                advise(of, advice::unset_accessed_by, who);
        });
    });
}
