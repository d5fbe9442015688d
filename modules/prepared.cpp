// SPDX-License-Identifier: Apache-2.0
module;
#include <algorithm>
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module cmm.prepared;
import cmm.context;
import cmm.driver;
import cmm.gather;
import cmm.plan;
import cmm.trace;

namespace cmm {

namespace detail {

struct prepared {
    std::string_view operation;
    const char* what = "";
    report shape; // what each run reports
    std::string detail; // for traces
    std::uintptr_t address = 0;
    int device_hint = 0;

    detail::move move = move::prefetch;
    way by{};
    std::vector<plan::run> runs;
    std::optional<cmm::advice> advice;

    copy_way copy_by{};
    std::vector<plan::copy_run> copies;
    std::size_t sources = 0; // of a copy plan
    option_table options;
    bool during_api_call = false;

    plan_state links;
    std::vector<buffer_state*> members;

    ~prepared() {
        for (auto* s : members)
            leave_plan(*s, links);
    }

    // `from` is the number of the first target in the whole plan: destinations follow the sources.
    void join(const target_list& targets, std::size_t from = 0) {
        members.reserve(members.size() + targets.size());
        for (std::size_t i = 0; i < targets.size(); ++i)
            if (auto* s = targets[i].state()) {
                join_plan(*s, links, from + i);
                members.push_back(s);
            }
    }

    error_site site_of(std::size_t target) const {
        if (sources == 0)
            return {operation, "targets", target};
        return target < sources ? error_site{operation, "srcs", target}
                                : error_site{operation, "dsts", target - sources};
    }
};

namespace {

// While it stands, closing a buffer of the plan waits. Throws closed where one was closed before.
class running {
public:
    explicit running(prepared& p) : p_(p) {
        p.links.running.fetch_add(1);
        if (const auto broken = p.links.broken.load(); broken != plan_state::whole) [[unlikely]] {
            p.links.running.fetch_sub(1);
            throw closed(p.site_of(broken), "a buffer of the plan was closed; make a new plan");
        }
    }
    ~running() { p_.links.running.fetch_sub(1); }
    running(const running&) = delete;
    running& operator=(const running&) = delete;

private:
    prepared& p_;
};

void remember(prepared& p, stream_call& call) {
    if (p.members.empty())
        return;
    const auto end = call.done_at();
    if (!end)
        return;
    const std::lock_guard guard(p.links.lock);
    if (!p.links.uses.last_is(end.get()))
        p.links.uses.add(end.get());
}

// What was issued needs its buffers, also where the rest of it was refused.
template <class Issue> std::size_t remembering(prepared& p, stream_call& call, Issue issue_all) {
    try {
        const auto calls = issue_all();
        remember(p, call);
        return calls;
    } catch (...) {
        remember(p, call);
        throw;
    }
}

report run_moves(prepared& p, stream_ref s) {
    const running now(p);
    const error_site site{p.operation, "targets"};
    stream_call call(site, s, p.device_hint);
    call.refuse_capture(p.what);
    auto out = p.shape;
    out.calls = remembering(p, call, [&] { return issue(p.move, p.runs, p.by, site, call); });
    return out;
}

hint_policy policy(const op_options& o) noexcept {
    return o.hints.value_or(default_hint_policy().value_or(hint_policy::strict));
}

std::unique_ptr<prepared> prepare_moves(const demands& d, move m, const target_list& targets,
                                        const location_list& where, const op_options& o) {
    auto p = std::make_unique<prepared>();
    auto& planner = thread_planner();
    const auto g = gather(d, targets, where, policy(o), planner);
    const auto runs = planner.plan(d.operation, d.merging, page_size::of_system());
    p->operation = d.operation;
    p->what = d.what;
    p->move = m;
    p->address = g.address;
    p->device_hint = g.device_hint;
    p->runs.assign(runs.begin(), runs.end());
    p->by = runs.empty() ? way{false, "none", "no bytes"}
                         : choose_way(m, runs, static_cast<std::int32_t>(o.strategy), g.pageable);
    p->shape = {g.count, runs.size(), 0, g.bytes,
                p->by.batch ? strategy::driver_batch : strategy::per_range, p->by.entry, p->by.reason, g.ignored};
    p->detail = where.paired() ? "paired" : to_string(where[0]);
    p->join(targets);
    return p;
}

template <class Run> report traced_run(prepared& p, void* stream, Run run) {
    return traced(p.operation, stream, [&] { return "plan " + p.detail; }, [&](std::uintptr_t& first) {
        first = p.address;
        return run();
    });
}

} // namespace
} // namespace detail

plan_base::plan_base(std::unique_ptr<detail::prepared> s) noexcept : state_(std::move(s)) {}
plan_base::plan_base(plan_base&& o) noexcept = default;
plan_base& plan_base::operator=(plan_base&& o) noexcept = default;
plan_base::~plan_base() = default;
void plan_base::close() noexcept { state_.reset(); }

detail::prepared& plan_base::live() const {
    if (!state_) [[unlikely]]
        throw closed({"plan", {}}, "the plan was closed");
    return *state_;
}

std::size_t plan_base::ranges_in() const { return live().shape.ranges_in; }
std::size_t plan_base::ranges_out() const { return live().shape.ranges_out; }

std::string plan_base::describe() const {
    const auto& p = live();
    return fmt::format("{}: {} ranges in, {} out, {} bytes, by {} ({})", p.operation, p.shape.ranges_in,
                       p.shape.ranges_out, p.shape.bytes, p.shape.entry, p.shape.reason);
}

namespace {

void require_discards() {
    if (!driver::get_features().discard_prefetch_batch)
        throw not_supported({"discard_prefetch", {}}, "it needs a driver of CUDA 13.0 or newer");
    if (const int without = driver::device_without_concurrent_access(); without >= 0)
        throw not_supported({"discard_prefetch", "device"},
                            fmt::format("it needs concurrentManagedAccess on every device, and device:{} has none",
                                        without));
}

} // namespace

prefetch_plan::prefetch_plan(const target_list& targets, const location_list& where, const op_options& o)
    : plan_base(detail::prepare_moves({"prefetch", "a prefetch", plan::merging::pages}, detail::move::prefetch,
                                      targets, where, o)) {}

report prefetch_plan::run(stream_ref s) {
    auto& p = live();
    return detail::traced_run(p, s.handle(), [&] { return detail::run_moves(p, s); });
}

discard_prefetch_plan::discard_prefetch_plan(const target_list& targets, const location_list& where,
                                             const op_options& o)
    : plan_base((require_discards(),
                 detail::prepare_moves({"discard_prefetch", "a discard_prefetch", plan::merging::bytes},
                                       detail::move::discard_prefetch, targets, where, o))) {}

report discard_prefetch_plan::run(stream_ref s) {
    auto& p = live();
    return detail::traced_run(p, s.handle(), [&] { return detail::run_moves(p, s); });
}

advise_plan::advise_plan(const target_list& targets, advice a, const location_list& where, const op_options& o)
    : plan_base(detail::prepare_moves(detail::demands_of_advice(a), detail::move::prefetch, targets,
                                      detail::takes_location(a) ? where : location_list(host{}), o)) {
    auto& p = live();
    p.advice = a;
    p.by = {false, driver::advise_entry(), "advice has no batch"};
    p.shape.entry = p.by.entry;
    p.shape.reason = p.by.reason;
    p.detail = fmt::format("{} {}", to_string(a), p.detail);
    detail::prepare_advice_devices(where);
}

report advise_plan::run() {
    auto& p = live();
    return detail::traced_run(p, nullptr, [&] {
        const detail::running now(p);
        const detail::current_context in(detail::any_context(p.device_hint));
        const detail::relaxed_capture relaxed;
        for (auto* s : p.members)
            s->root->advised.store(true, std::memory_order_relaxed);
        auto out = p.shape;
        out.calls = p.runs.empty() ? 0 : detail::advise_runs(p.runs, *p.advice);
        return out;
    });
}

copy_plan::copy_plan(const target_list& srcs, const target_list& dsts, const copy_options_list& options,
                     const op_options& o)
    : plan_base(std::make_unique<detail::prepared>()) {
    auto& p = live();
    plan::copy_planner planner;
    const auto g = detail::gather_copies("copy_batch", srcs, dsts, options, o, planner, p.options);
    const auto runs = planner.plan("copy_batch", true);
    p.operation = "copy_batch";
    p.what = "a copy";
    p.address = g.address;
    p.device_hint = g.device_hint;
    p.copies.assign(runs.begin(), runs.end());
    p.copy_by = detail::choose_copy_way(runs, p.options.entries(), o);
    p.during_api_call = std::ranges::any_of(p.options.entries(), [](const copy_options& each) {
        return each.src_access_order == src_access_order::during_api_call;
    });
    p.shape = {g.count, runs.size(), 0, g.bytes,
               p.copy_by.batch ? strategy::driver_batch : strategy::per_range, p.copy_by.entry, p.copy_by.reason, 0};
    p.sources = srcs.size();
    p.join(srcs);
    p.join(dsts, p.sources);
}

report copy_plan::run(stream_ref s) {
    auto& p = live();
    return detail::traced_run(p, s.handle(), [&] {
        const detail::running now(p);
        const error_site site{"copy_batch", "srcs"};
        detail::stream_call call(site, s, p.device_hint);
        auto out = p.shape;
        if (!call.capturing()) {
            call.refuse_capture("a copy");
            out.calls = detail::remembering(p, call, [&] {
                return detail::issue_copies(p.copies, p.options.entries(), p.copy_by, site, call);
            });
            return out;
        }
        const auto by = detail::capture_copies(p.options.entries(), p.members, call);
        out.calls = detail::issue_copies(p.copies, p.options.entries(), by, site, call);
        out.entry = by.entry;
        out.reason = by.reason;
        return out;
    });
}

} // namespace cmm
