// SPDX-License-Identifier: Apache-2.0
// From copy runs to driver calls: the batch entry point in chunks, or copy by copy, where
// during_api_call is kept by staging or by waiting.
module;
#include <algorithm>
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>
module cmm.copy;
import cmm.context;
import cmm.driver;
import cmm.plan;

namespace cmm::detail {

namespace {

constexpr std::string_view single = "cuMemcpyAsync@4000";
constexpr std::size_t most_staged = 64 * 1024; // above, waiting for the copy costs less than a second one

bool is_default(const copy_options& o) noexcept { return o == copy_options{}; }

[[noreturn]] void refuse_run(driver::result r, const error_site& site, std::string_view entry,
                             const plan::copy_run& run, std::size_t issued) {
    error_site at = site;
    at.index = run.first;
    driver::refuse(r, at, entry,
                   fmt::format("{}({:#x} <- {:#x}, {} bytes), behind {} that were issued,", entry, run.dst,
                               run.src, run.bytes, issued),
                   issued);
}

// A pinned copy of a host source, which goes when the work that reads it has finished.
class staged {
public:
    staged(const error_site& site, const plan::copy_run& run) {
        auto s = std::make_unique<buffer_state>();
        s->context = any_context(0);
        std::uintptr_t at = 0;
        driver::check(driver::allocate_pinned(run.bytes, at), site, "cuMemHostAlloc");
        s->where = range(at, run.bytes);
        s->kind = memory_kind::pinned;
        s->give_back = &free_pinned;
        std::memcpy(reinterpret_cast<void*>(at), reinterpret_cast<const void*>(run.src), run.bytes);
        state_ = s.release();
    }
    ~staged() { close(state_, false); }
    staged(const staged&) = delete;
    staged& operator=(const staged&) = delete;
    std::uintptr_t address() const noexcept { return state_->where.begin(); }
    void used_until(stream_call& call) {
        if (const auto end = call.done_at())
            mark_use(*state_, end.get());
    }

private:
    buffer_state* state_;
};

bool host_readable(std::uintptr_t address) noexcept {
    driver::pointer_facts f{};
    return driver::ok(driver::pointer(address, f)) &&
           (f.kind == memory_kind::pageable || f.kind == memory_kind::pinned);
}

driver::result copy_keeping_order(const plan::copy_run& run, const error_site& site, stream_call& call) {
    const relaxed_capture relaxed; // another stream of the thread may capture
    if (run.bytes <= most_staged && host_readable(run.src)) {
        staged copy(site, run);
        const auto r = driver::copy(run.dst, copy.address(), run.bytes, call.handle());
        copy.used_until(call);
        return r;
    }
    const auto r = driver::copy(run.dst, run.src, run.bytes, call.handle());
    return driver::ok(r) ? driver::synchronize_stream(call.handle()) : r;
}

std::size_t issue_one_by_one(std::span<const plan::copy_run> runs, std::span<const copy_options> table,
                             std::string_view entry, const error_site& site, stream_call& call) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto& run = runs[i];
        const bool during = table[run.options].src_access_order == src_access_order::during_api_call;
        const auto r = during ? copy_keeping_order(run, site, call)
                              : driver::copy(run.dst, run.src, run.bytes, call.handle());
        if (!driver::ok(r)) [[unlikely]]
            refuse_run(r, site, entry, run, i);
    }
    return runs.size();
}

std::size_t issue_batches(std::span<const plan::copy_run> runs, std::span<const copy_options> table,
                          std::string_view entry, const error_site& site, const stream_call& call) {
    batch_stream bridged(site, call);
    std::size_t calls = 0;
    for (std::size_t at = 0; at < runs.size(); at += chunk, ++calls) {
        const auto part = runs.subspan(at, std::min(chunk, runs.size() - at));
        std::size_t failed = 0;
        const auto r = driver::copy_batch(part, table, bridged.handle(), failed);
        if (driver::ok(r)) [[likely]]
            continue;
        if (failed < part.size() || part.size() == 1)
            refuse_run(r, site, entry, part[std::min(failed, part.size() - 1)], at);
        driver::refuse(r, site, entry,
                       fmt::format("{} of {} copies, behind {} that were issued,", entry, part.size(), at), at);
    }
    bridged.finish();
    return calls;
}

} // namespace

copy_way choose_copy_way(std::span<const plan::copy_run> runs, std::span<const copy_options> table,
                         const op_options& o) {
    if (!driver::get_features().copy_batch)
        return {false, single, "this driver has no batch entry point"};
    const bool plain = std::ranges::all_of(table, is_default);
    if (runs.size() <= 1 && plain)
        return {false, single, "one copy"};
    if (o.strategy == strategy::per_range && plain)
        return {false, single, "asked for"};
    return {true, driver::copy_batch_entry(), plain ? "measured faster" : "options need the batch entry point"};
}

std::size_t issue_copies(std::span<const plan::copy_run> runs, std::span<const copy_options> table,
                         const copy_way& w, const error_site& site, stream_call& call) {
    if (runs.empty())
        return 0;
    return w.batch ? issue_batches(runs, table, w.entry, site, call)
                   : issue_one_by_one(runs, table, w.entry, site, call);
}

} // namespace cmm::detail
