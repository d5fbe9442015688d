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
import :issue;
import :crossovers;
import cmm.driver;
import cmm.plan;

namespace cmm::detail {

namespace {

std::string_view batch_entry(move m) noexcept {
    switch (m) {
    case move::prefetch: return "cuMemPrefetchBatchAsync@13000";
    case move::discard: return "cuMemDiscardBatchAsync@13000";
    case move::discard_prefetch: return "cuMemDiscardAndPrefetchBatchAsync@13000";
    }
    return "";
}

// Whether every range was last prefetched to where it is to go: then a single call is a look-up, and the
// batch call is ten times dearer.
bool already_there(std::span<const plan::run> runs) noexcept {
    return std::ranges::all_of(runs, [](const plan::run& r) {
        std::optional<location> last;
        return driver::ok(driver::last_prefetch_location({r.address, r.bytes}, last)) && last == r.where;
    });
}

bool measured_faster(std::span<const plan::run> runs) noexcept {
    std::size_t bytes = 0;
    for (const auto& r : runs)
        bytes += r.bytes;
    return batch_is_faster(!runs.front().where.is_device(), bytes / runs.size(), runs.size());
}

driver::result one_batch(move m, std::span<const plan::run> runs, driver::stream_handle s) noexcept {
    switch (m) {
    case move::prefetch: return driver::prefetch_batch(runs, s);
    case move::discard: return driver::discard_batch(runs, s);
    case move::discard_prefetch: return driver::discard_prefetch_batch(runs, s);
    }
    return driver::result::invalid_value;
}

[[noreturn]] void refuse_run(driver::result r, const error_site& site, std::string_view entry,
                             const plan::run& run, std::size_t issued) {
    error_site at = site;
    at.index = run.first;
    driver::refuse(r, at, entry, fmt::format("{}({:#x}, {} bytes, {}), behind {} that were issued,", entry,
                                             run.address, run.bytes, to_string(run.where), issued),
                   issued);
}

std::size_t issue_batches(move m, std::span<const plan::run> runs, std::string_view entry, const error_site& site,
                          const stream_call& call) {
    batch_stream bridged(site, call);
    std::size_t calls = 0;
    for (std::size_t at = 0; at < runs.size(); at += chunk, ++calls) {
        const auto part = runs.subspan(at, std::min(chunk, runs.size() - at));
        const auto r = one_batch(m, part, bridged.handle());
        if (driver::ok(r)) [[likely]]
            continue;
        if (part.size() == 1)
            refuse_run(r, site, entry, part[0], at);
        driver::refuse(r, site, entry,
                       fmt::format("{} of {} ranges, behind {} that were issued,", entry, part.size(), at), at);
    }
    bridged.finish();
    return calls;
}

} // namespace

way choose_way(move m, std::span<const plan::run> runs, std::int32_t asked, bool pageable) {
    if (m != move::prefetch)
        return {true, batch_entry(m), "the only entry point"};
    const auto single = driver::prefetch_entry();
    if (runs.size() <= 1)
        return {false, single, "one range"};
    if (!driver::get_features().prefetch_batch)
        return {false, single, "this driver has no batch entry point"};
    if (driver::device_without_concurrent_access() >= 0)
        return {false, single, "a batch needs concurrentManagedAccess on every device"};
    if (pageable)
        return {false, single, "a batch takes no pageable memory"};
    switch (static_cast<strategy>(asked)) {
    case strategy::driver_batch: return {true, batch_entry(m), "asked for"};
    case strategy::per_range: return {false, single, "asked for"};
    case strategy::return_early: return {false, single, "single calls return early"};
    case strategy::automatic: break;
    }
    if (!measured_faster(runs))
        return {false, single, "measured faster"};
    if (already_there(runs))
        return {false, single, "already there"};
    return {true, batch_entry(m), "measured faster"};
}

std::size_t issue(move m, std::span<const plan::run> runs, const way& w, const error_site& site,
                  const stream_call& call) {
    if (w.batch)
        return runs.empty() ? 0 : issue_batches(m, runs, w.entry, site, call);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto& run = runs[i];
        const auto r = driver::prefetch({run.address, run.bytes}, run.where, call.handle());
        if (!driver::ok(r)) [[unlikely]]
            refuse_run(r, site, w.entry, run, i);
    }
    return runs.size();
}

} // namespace cmm::detail
