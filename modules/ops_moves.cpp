// SPDX-License-Identifier: Apache-2.0
// Prefetch, discard, discard_prefetch: gather, plan, issue, remember.
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
#include <utility>
#include <vector>
module cmm.ops;
import :issue;
import :traced;
import cmm.context;
import cmm.driver;
import cmm.gather;
import cmm.plan;

namespace cmm {

namespace {

struct move_kind {
    detail::move move;
    detail::demands demands;
};

constexpr move_kind prefetching{detail::move::prefetch, {"prefetch", "a prefetch", plan::merging::pages}};
constexpr move_kind discarding{detail::move::discard,
                               {"discard", "a discard", plan::merging::bytes, false, false}};
constexpr move_kind discard_prefetching{
    detail::move::discard_prefetch, {"discard_prefetch", "a discard_prefetch", plan::merging::bytes}};

// Discards have no other way than the batch entry points, which 13.0 brought and which need
// concurrentManagedAccess on every device. False where the hint policy lets it pass.
bool discards_work(const detail::demands& d, bool entry_point, hint_policy hints) {
    if (!entry_point)
        throw not_supported({d.operation, {}},
                            fmt::format("{} needs a driver of CUDA 13.0 or newer, and this one offers CUDA "
                                        "{}.{}",
                                        d.what, driver::get_facts().level / 1000,
                                        driver::get_facts().level % 1000 / 10));
    const int without = driver::device_without_concurrent_access();
    if (without < 0)
        return true;
    detail::cannot_honour(hints, {d.operation, "device"},
                          fmt::format("{} needs concurrentManagedAccess on every device, and device:{} ({}) "
                                      "has none",
                                      d.what, without,
                                      driver::get_facts().devices[static_cast<std::size_t>(without)].name));
    return false;
}

bool works_here(const move_kind& k, hint_policy hints) {
    switch (k.move) {
    case detail::move::prefetch: return true;
    case detail::move::discard: return discards_work(k.demands, driver::get_features().discard_batch, hints);
    case detail::move::discard_prefetch:
        return discards_work(k.demands, driver::get_features().discard_prefetch_batch, hints);
    }
    return true;
}

hint_policy policy_of(const op_options& o) noexcept {
    return o.hints.value_or(default_hint_policy().value_or(hint_policy::strict));
}

// Without concurrentManagedAccess on the stream's own device, no prefetch can be queued there.
void require_stream_device(const move_kind& k) {
    if (driver::device_without_concurrent_access() < 0) [[likely]]
        return;
    int ordinal = 0;
    driver::check(driver::context_device(ordinal), {k.demands.operation, "stream"}, "cuCtxGetDevice");
    const auto& facts = driver::get_facts().devices[static_cast<std::size_t>(ordinal)];
    if (!facts.concurrent_managed_access)
        throw not_supported({k.demands.operation, "stream"},
                            fmt::format("the stream is on device:{} ({}), which has no "
                                        "concurrentManagedAccess",
                                        ordinal, facts.name));
}

// Work that was issued needs its buffers, also where the rest of it was refused.
std::size_t issue_and_remember(const move_kind& k, std::span<const plan::run> runs, const detail::way& way,
                               const error_site& site, const target_list& targets, detail::stream_call& call) {
    try {
        const auto calls = detail::issue(k.move, runs, way, site, call);
        detail::remember_use(targets, call);
        return calls;
    } catch (...) {
        detail::remember_use(targets, call);
        throw;
    }
}

report run_move(const move_kind& k, const target_list& targets, const location_list& where, stream_ref s,
                const op_options& o, std::uintptr_t& first) {
    const auto hints = policy_of(o);
    auto& planner = detail::thread_planner();
    const auto g = detail::gather(k.demands, targets, where, hints, planner);
    first = g.address;
    report out{.ranges_in = g.count, .bytes = g.bytes, .ignored = g.ignored};
    if (!works_here(k, hints)) {
        out.ignored += std::exchange(out.ranges_in, 0);
        return out;
    }
    const error_site site{k.demands.operation, "targets"};
    detail::stream_call call(site, s, g.device_hint);
    call.refuse_capture(k.demands.what);
    if (g.count == 0)
        return out;
    require_stream_device(k);
    const auto runs = planner.plan(k.demands.operation, k.demands.merging, page_size::of_system());
    const auto way = detail::choose_way(k.move, runs, static_cast<std::int32_t>(o.strategy), g.pageable);
    out.calls = issue_and_remember(k, runs, way, site, targets, call);
    out.ranges_out = runs.size();
    out.strategy = way.batch ? strategy::driver_batch : strategy::per_range;
    out.entry = way.entry;
    out.reason = way.reason;
    return out;
}

report traced_move(const move_kind& k, const target_list& targets, const location_list& where, stream_ref s,
                   const op_options& o) {
    const auto name = [&] { return where.paired() ? std::string("paired") : to_string(where[0]); };
    return detail::traced(k.demands.operation, s.handle(), name, [&](std::uintptr_t& first) {
        return run_move(k, targets, where, s, o, first);
    });
}

} // namespace

report prefetch(const target_list& targets, const location_list& where, stream_ref s, const op_options& o) {
    return traced_move(prefetching, targets, where, s, o);
}

report discard(const target_list& targets, stream_ref s, const op_options& o) {
    return traced_move(discarding, targets, host{}, s, o);
}

report discard_prefetch(const target_list& targets, const location_list& where, stream_ref s,
                        const op_options& o) {
    return traced_move(discard_prefetching, targets, where, s, o);
}

} // namespace cmm
