// SPDX-License-Identifier: Apache-2.0
module;
#include <algorithm>
#include <atomic>
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
import :advice_calls;
import cmm.context;
import cmm.driver;
import cmm.gather;
import cmm.plan;

namespace cmm::detail {

demands demands_of_advice(advice a) {
    const auto value = static_cast<std::int32_t>(a);
    if (value < 1 || value > 6)
        throw invalid_argument({"advise", "advice"},
                               fmt::format("{} is no advice; allowed are 1 (set_read_mostly) to 6 "
                                           "(unset_accessed_by)",
                                           value));
    const bool sets_place = a == advice::set_preferred_location || a == advice::set_accessed_by;
    const bool accessed = a == advice::set_accessed_by || a == advice::unset_accessed_by;
    return {"advise", "advice", plan::merging::pages, true, sets_place, accessed};
}

bool takes_location(advice a) noexcept {
    return a == advice::set_preferred_location || a == advice::set_accessed_by || a == advice::unset_accessed_by;
}

void prepare_advice_devices(const location_list& where) {
    const location* last = nullptr;
    const std::size_t count = where.paired() ? where.size() : 1;
    for (std::size_t i = 0; i < count; ++i) {
        const location& l = where[i];
        if (l.is_device() && (!last || *last != l))
            primary_context(l.id());
        last = &l;
    }
}

namespace {

range range_of(const plan::run& r) { return {r.address, r.bytes}; }

// What a range's advice was before a call, as far as the driver tells.
struct former {
    bool read_mostly = false;
    std::optional<location> preferred;
    bool accessed = false;
};

bool is_accessor(const range& r, const location& l) noexcept {
    int found[65];
    const auto count = std::min<std::size_t>(driver::get_facts().devices.size() + 1, 65);
    if (!driver::ok(driver::accessed_by(r, {found, count})))
        return false;
    const int wanted = l.is_device() ? l.id() : -1;
    return std::find(found, found + count, wanted) != found + count;
}

former ask(const plan::run& r, advice a) noexcept {
    former f;
    switch (a) {
    case advice::set_read_mostly:
    case advice::unset_read_mostly: driver::read_mostly(range_of(r), f.read_mostly); break;
    case advice::set_preferred_location:
    case advice::unset_preferred_location: driver::preferred_location(range_of(r), f.preferred); break;
    default: f.accessed = is_accessor(range_of(r), r.where);
    }
    return f;
}

void put_back(const plan::run& r, advice a, const former& f) noexcept {
    switch (a) {
    case advice::set_read_mostly:
    case advice::unset_read_mostly:
        driver::advise(range_of(r), f.read_mostly ? advice::set_read_mostly : advice::unset_read_mostly, r.where);
        break;
    case advice::set_preferred_location:
    case advice::unset_preferred_location:
        driver::advise(range_of(r), f.preferred ? advice::set_preferred_location : advice::unset_preferred_location,
                       f.preferred.value_or(r.where));
        break;
    default:
        driver::advise(range_of(r), f.accessed ? advice::set_accessed_by : advice::unset_accessed_by, r.where);
    }
}

// The driver accepts a host NUMA node as preferred location and, on some machines, changes nothing. Where
// there is one node, the host says the same; elsewhere that is a failure.
driver::result prefer_numa_node(const plan::run& r, std::size_t& calls) {
    const auto result = driver::advise(range_of(r), advice::set_preferred_location, r.where);
    ++calls;
    std::optional<location> now;
    if (!driver::ok(result) || !driver::ok(driver::preferred_location(range_of(r), now)))
        return result;
    const bool taken = now && now->is_numa();
    if (taken)
        return result;
    if (driver::get_facts().numa_nodes > 1)
        throw not_supported({"advise", "targets", r.first},
                            fmt::format("the driver accepted {} as the preferred location and did not set it; "
                                        "use the host instead",
                                        to_string(r.where)));
    ++calls;
    return driver::advise(range_of(r), advice::set_preferred_location, host{});
}

driver::result advise_run(const plan::run& r, advice a, std::size_t& calls) {
    if (a == advice::set_preferred_location && r.where.is_numa()) [[unlikely]]
        return prefer_numa_node(r, calls);
    ++calls;
    return driver::advise(range_of(r), a, r.where);
}

void refuse_run(driver::result result, const plan::run& r, advice a, std::size_t issued) {
    driver::refuse(result, {"advise", "targets", r.first}, driver::advise_entry(),
                   fmt::format("{}({:#x}, {} bytes, {}, {})", driver::advise_entry(), r.address, r.bytes,
                               to_string(a), to_string(r.where)),
                   issued);
}

} // namespace

std::size_t advise_runs(std::span<const plan::run> runs, advice a) {
    std::size_t calls = 0;
    if (runs.size() == 1) [[likely]] { // nothing before it to take back
        if (const auto r = advise_run(runs[0], a, calls); !driver::ok(r))
            refuse_run(r, runs[0], a, 0);
        return calls;
    }
    thread_local std::vector<former> before;
    before.clear();
    const auto roll_back = [&] {
        for (std::size_t k = before.size(); k-- > 0;)
            put_back(runs[k], a, before[k]);
    };
    for (const auto& run : runs) {
        before.push_back(ask(run, a));
        try {
            if (const auto r = advise_run(run, a, calls); !driver::ok(r)) [[unlikely]]
                refuse_run(r, run, a, before.size() - 1);
        } catch (...) {
            before.pop_back();
            roll_back();
            throw;
        }
    }
    return calls;
}

} // namespace cmm::detail
