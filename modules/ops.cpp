// SPDX-License-Identifier: Apache-2.0
// Advice: gather, plan, advise run by run, take back on failure.
module;
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
import :issue;
import :traced;
import :advice_calls;
import cmm.context;
import cmm.driver;
import cmm.gather;
import cmm.plan;

namespace cmm {

std::string_view to_string(strategy s) noexcept {
    switch (s) {
    case strategy::automatic: return "automatic";
    case strategy::driver_batch: return "driver_batch";
    case strategy::per_range: return "per_range";
    case strategy::return_early: return "return_early";
    }
    return "no strategy";
}

namespace {

std::atomic<std::int32_t> process_policy{0}; // 0: none

report advise_all(const target_list& targets, advice a, const location_list& asked, const op_options& o,
                  std::uintptr_t& first) {
    const auto d = detail::demands_of_advice(a);
    const location_list anywhere(host{});
    const location_list& where = detail::takes_location(a) ? asked : anywhere;
    const auto hints = o.hints.value_or(default_hint_policy().value_or(hint_policy::strict));
    auto& planner = detail::thread_planner();
    const auto g = detail::gather(d, targets, where, hints, planner);
    first = g.address;
    report out{.ranges_in = g.count, .bytes = g.bytes, .ignored = g.ignored};
    if (g.count == 0)
        return out;
    detail::prepare_advice_devices(where);
    const detail::current_context in(detail::any_context(g.device_hint));
    const detail::relaxed_capture relaxed;
    const auto runs = planner.plan("advise", d.merging, page_size::of_system());
    detail::remember_advice(targets);
    out.calls = detail::advise_runs(runs, a);
    out.ranges_out = runs.size();
    out.entry = driver::advise_entry();
    out.reason = "advice has no batch";
    return out;
}

} // namespace

void set_default_hint_policy(std::optional<hint_policy> p) noexcept {
    process_policy.store(p ? static_cast<std::int32_t>(*p) : 0, std::memory_order_relaxed);
}

std::optional<hint_policy> default_hint_policy() noexcept {
    const auto p = process_policy.load(std::memory_order_relaxed);
    return p ? std::optional(static_cast<hint_policy>(p)) : std::nullopt;
}

report advise(const target_list& targets, advice a, const location_list& where, const op_options& o) {
    const auto name = [&] {
        return !detail::takes_location(a) || where.paired() || where.size() == 0
                   ? std::string(to_string(a))
                   : fmt::format("{} {}", to_string(a), to_string(where[0]));
    };
    return detail::traced("advise", nullptr, name, [&](std::uintptr_t& first) {
        return advise_all(targets, a, where, o, first);
    });
}

} // namespace cmm
