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

// Operands of a captured copy, for the graph to keep.
struct operands {
    std::vector<detail::buffer_state*> roots;
    ~operands() {
        for (auto* r : roots) {
            detail::drop_hold_later(*r);
            detail::release(r);
        }
    }
    void add(const target_list& list) {
        for (std::size_t i = 0; i < list.size(); ++i)
            if (auto* s = list[i].state(); s && (roots.empty() || roots.back() != s->root) && detail::try_hold(*s->root)) {
                detail::retain(s->root);
                roots.push_back(s->root);
            }
    }
};

// Before anything is captured: a graph that could not keep its operands would copy freed memory.
void keep_in_graph(const target_list& srcs, const target_list& dsts, const detail::stream_call& call) {
    auto kept = std::make_unique<operands>();
    kept->add(srcs);
    kept->add(dsts);
    if (kept->roots.empty())
        return;
    const auto r = driver::capture_keeps(call.handle(), kept.release(),
                                         [](void* p) { delete static_cast<operands*>(p); });
    driver::check(r, site, "cuGraphRetainUserObject");
}

void refuse_during_api_call(std::span<const copy_options> table) {
    for (const auto& o : table)
        if (o.src_access_order == src_access_order::during_api_call)
            throw not_supported({"copy_batch", "options"},
                                "src_access_order during_api_call cannot be kept on a capturing stream, whose "
                                "copies run when the graph is launched; use stream order and keep the source");
}

report copy_all(stream_ref s, const target_list& srcs, const target_list& dsts, const copy_options_list& options,
                const op_options& o, std::uintptr_t& first) {
    auto& [planner, table] = thread_scratch();
    const auto g = detail::gather_copies("copy_batch", srcs, dsts, options, o, planner, table);
    first = g.address;
    report out{.ranges_in = g.count, .bytes = g.bytes};
    detail::stream_call call(site, s, g.device_hint);
    if (!call.capturing())
        call.refuse_capture("a copy");
    else
        refuse_during_api_call(table.entries());
    if (g.count == 0)
        return out;
    const auto runs = planner.plan("copy_batch", true);
    const auto way = detail::choose_copy_way(runs, table.entries(), o, call.capturing());
    if (call.capturing())
        keep_in_graph(srcs, dsts, call);
    out.calls = detail::issue_copies(runs, table.entries(), way, site, call);
    if (!call.capturing()) {
        detail::remember_use(srcs, call);
        detail::remember_use(dsts, call);
    }
    out.ranges_out = runs.size();
    out.strategy = way.batch ? strategy::driver_batch : strategy::per_range;
    out.entry = way.entry;
    out.reason = way.reason;
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
