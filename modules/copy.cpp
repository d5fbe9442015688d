// SPDX-License-Identifier: Apache-2.0
// copy_batch: gather, plan, issue, remember.
module;
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module cmm.copy;
import cmm.context;
import cmm.driver;
import cmm.gather;
import cmm.plan;
import cmm.trace;

namespace cmm {

namespace {

struct scratch {
    plan::copy_planner planner;
    detail::option_table table;
};

scratch& thread_scratch() {
    thread_local scratch s;
    return s;
}

constexpr error_site site{"copy_batch", "srcs"};

// The operands of a capture, once each.
std::vector<detail::buffer_state*> operands_of(const target_list& srcs, const target_list& dsts) {
    std::vector<detail::buffer_state*> out;
    for (const auto* list : {&srcs, &dsts})
        for (std::size_t i = 0; i < list->size(); ++i)
            if (auto* s = (*list)[i].state(); s && (out.empty() || out.back() != s))
                out.push_back(s);
    return out;
}

report issue_all(std::span<const plan::copy_run> runs, const detail::option_table& table,
                 const detail::copy_way& way, detail::stream_call& call, report out) {
    out.calls = detail::issue_copies(runs, table.entries(), way, site, call);
    out.ranges_out = runs.size();
    out.strategy = way.batch ? strategy::driver_batch : strategy::per_range;
    out.entry = way.entry;
    out.reason = way.reason;
    return out;
}

report copy_all(stream_ref s, const target_list& srcs, const target_list& dsts, const copy_options_list& options,
                const op_options& o, std::uintptr_t& first) {
    auto& [planner, table] = thread_scratch();
    const auto g = detail::gather_copies("copy_batch", srcs, dsts, options, o, planner, table);
    first = g.address;
    report out{.ranges_in = g.count, .bytes = g.bytes, .ignored_hint = g.ignored_hint};
    detail::stream_call call(site, s, g.device_hint);
    if (!call.capturing())
        call.refuse_capture("a copy");
    if (g.count == 0)
        return out;
    const auto runs = planner.plan("copy_batch", true);
    if (call.capturing())
        return issue_all(runs, table, detail::capture_copies(table.entries(), operands_of(srcs, dsts), call), call,
                         out);
    const auto remember = [&] {
        detail::remember_use(srcs, call);
        detail::remember_use(dsts, call);
    };
    try {
        out = issue_all(runs, table, detail::choose_copy_way(runs, table.entries(), o), call, out);
    } catch (...) { // what was issued needs its buffers
        remember();
        throw;
    }
    remember();
    return out;
}

} // namespace

report copy_batch(stream_ref s, const target_list& srcs, const target_list& dsts, const copy_options_list& options,
                  const op_options& o) {
    const auto name = [&] {
        return options.size() == 0 ? std::string() : std::string(to_string(options[0].src_access_order));
    };
    return detail::traced("copy_batch", s.handle(), name, [&](std::uintptr_t& first) {
        return copy_all(s, srcs, dsts, options, o, first);
    });
}

report copy_to(const target& src, const target& dst, stream_ref s, const copy_options& options) {
    return copy_batch(s, target_list(src), target_list(dst), options);
}

} // namespace cmm
