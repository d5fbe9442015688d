// SPDX-License-Identifier: Apache-2.0
// Questions about one range, and the set of its accessors.
module;
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>
module cmm.ops;
import cmm.context;
import cmm.driver;
import cmm.gather;
import cmm.plan;

namespace cmm {

namespace {

constexpr std::size_t most_devices = 64; // bits of accessor_set

// The range of a target whose advice can be asked. cmm's own allocations are known to be managed.
range askable(const char* operation, const target& t) {
    const auto f = detail::memory_lookup({operation, "target"})(t, 0);
    if (f.kind != memory_kind::managed && f.kind != memory_kind::managed_pool && f.kind != memory_kind::pageable)
        throw invalid_argument({operation, "target"},
                               fmt::format("{:#x} is not managed memory ({}, {} bytes); allocate it from a "
                                           "managed_memory_resource",
                                           t.address(), to_string(f.kind), t.bytes()));
    return {t.address(), t.bytes()};
}

// Asks, and once more with a context where the thread had none.
template <class Ask> void ask(const error_site& site, const target& t, Ask question) {
    auto r = question();
    if (r == driver::result::invalid_context) [[unlikely]] {
        const auto* s = t.state();
        const detail::current_context in(detail::any_context(s ? s->root->device : 0));
        r = question();
    }
    driver::check(r, site, "cuMemRangeGetAttribute");
}

void require_open(const char* operation, const target& t) {
    if (t.is_closed()) [[unlikely]]
        throw closed({operation, "buffer"}, "the buffer was closed");
}

accessor_set as_set(std::span<const int> ordinals) noexcept {
    accessor_set out;
    for (const int o : ordinals) {
        if (o >= 0)
            out.devices |= std::uint64_t{1} << static_cast<unsigned>(o);
        out.host |= o == -1;
    }
    return out;
}

std::size_t accessor_capacity() {
    return std::min(driver::get_facts().devices.size(), most_devices) + 1;
}

accessor_set checked_set(const location_list& wanted) {
    accessor_set out;
    const auto hints = default_hint_policy().value_or(hint_policy::strict);
    const std::size_t count = wanted.paired() ? wanted.size() : 1;
    const detail::demands d{"assign_accessed_by", "an accessor", plan::merging::pages, true, true, true};
    for (std::size_t i = 0; i < count; ++i) {
        detail::require_location(d, wanted[i], i, true);
        if (!detail::honour_place(d, wanted[i], i, true, hints))
            continue;
        if (wanted[i].is_device())
            out.devices |= std::uint64_t{1} << static_cast<unsigned>(wanted[i].id());
        else
            out.host = true;
    }
    return out;
}

struct difference {
    location who = host{};
    bool add = false;
};

std::size_t differences(const accessor_set& now, const accessor_set& wanted, std::span<difference> out) {
    std::size_t n = 0;
    for (auto bits = now.devices ^ wanted.devices; bits; bits &= bits - 1) {
        const int ordinal = std::countr_zero(bits);
        out[n++] = {device{ordinal}, (wanted.devices >> static_cast<unsigned>(ordinal) & 1U) != 0};
    }
    if (now.host != wanted.host)
        out[n++] = {host{}, wanted.host};
    return n;
}

driver::result apply(const range& r, const difference& d, bool undo) noexcept {
    return driver::advise(r, d.add != undo ? advice::set_accessed_by : advice::unset_accessed_by, d.who);
}

void apply_all(const range& r, std::span<const difference> changes) {
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const auto result = apply(r, changes[i], false);
        if (driver::ok(result)) [[likely]]
            continue;
        for (std::size_t k = i; k-- > 0;)
            apply(r, changes[k], true);
        driver::refuse(result, {"assign_accessed_by", "locations"}, driver::advise_entry(),
                       fmt::format("{}({:#x}, {} bytes, {}, {})", driver::advise_entry(), r.begin(), r.bytes(),
                                   changes[i].add ? "set_accessed_by" : "unset_accessed_by",
                                   to_string(changes[i].who)),
                       i);
    }
}

void require_advisable(const target& t) {
    const auto f = detail::memory_lookup({"assign_accessed_by", "target"})(t, 0);
    if (f.kind == memory_kind::managed_pool)
        throw not_supported({"assign_accessed_by", "target"},
                            "managed memory of a driver's pool, and the driver declines advice for it; allocate "
                            "it from a managed_memory_resource");
}

} // namespace

bool read_mostly(const target& t) {
    require_open("read_mostly", t);
    bool out = false;
    if (t.bytes() != 0)
        ask({"read_mostly", "buffer"}, t,
            [&, r = askable("read_mostly", t)] { return driver::read_mostly(r, out); });
    return out;
}

std::optional<location> preferred_location(const target& t) {
    require_open("preferred_location", t);
    std::optional<location> out;
    if (t.bytes() != 0)
        ask({"preferred_location", "buffer"}, t,
            [&, r = askable("preferred_location", t)] { return driver::preferred_location(r, out); });
    return out;
}

std::optional<location> last_prefetch_location(const target& t) {
    require_open("last_prefetch_location", t);
    std::optional<location> out;
    if (t.bytes() != 0)
        ask({"last_prefetch_location", "buffer"}, t,
            [&, r = askable("last_prefetch_location", t)] { return driver::last_prefetch_location(r, out); });
    return out;
}

accessor_set accessors(const target& t) {
    require_open("accessed_by", t);
    if (t.bytes() == 0)
        return {};
    int found[most_devices + 1];
    const std::span<int> out(found, accessor_capacity());
    ask({"accessed_by", "buffer"}, t, [&, r = askable("accessed_by", t)] { return driver::accessed_by(r, out); });
    return as_set(out);
}

std::vector<location> accessed_by(const target& t) {
    const auto set = accessors(t);
    std::vector<location> out;
    for (auto bits = set.devices; bits; bits &= bits - 1)
        out.emplace_back(device{std::countr_zero(bits)});
    if (set.host)
        out.emplace_back(host{});
    return out;
}

void assign_accessed_by(const target& t, const location_list& wanted) {
    const auto target_set = checked_set(wanted);
    const auto now = accessors(t);
    if (now == target_set) [[likely]]
        return;
    if (t.bytes() == 0)
        return;
    require_advisable(t);
    for (auto bits = target_set.devices; bits; bits &= bits - 1)
        detail::primary_context(std::countr_zero(bits));
    difference changes[most_devices + 1];
    const auto count = differences(now, target_set, changes);
    const auto* s = t.state();
    const detail::current_context in(detail::any_context(s ? s->root->device : 0));
    const detail::relaxed_capture relaxed;
    detail::remember_advice(t);
    apply_all({t.address(), t.bytes()}, {changes, count});
}

} // namespace cmm
