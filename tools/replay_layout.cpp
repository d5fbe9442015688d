// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
// Imports.
#include "replay_layout.hpp"

namespace cmm::tool {

namespace {

std::size_t in_pages(std::size_t bytes) { return page_size::of_system().up(bytes); }

// The ranges of one operation, as offsets from its first address.
struct pieces {
    explicit pieces(const traced_operation& o)
        : count(o.ranges_in), runs(std::clamp<std::size_t>(o.ranges_out, 1, o.ranges_in)),
          bytes(std::max<std::size_t>(o.bytes / o.ranges_in, 1)),
          per_run((count + runs - 1) / runs), run_stride(in_pages(per_run * bytes) + in_pages(1)) {}

    std::size_t offset(std::size_t i) const {
        return i / per_run * run_stride + i % per_run * bytes;
    }
    std::size_t span() const { return offset(count - 1) + bytes; }

    std::size_t count, runs, bytes, per_run, run_stride;
};

// Whole pages: a piece must not share its page with another area's.
range extent(const traced_operation& o) {
    return pages_of(range(o.address, pieces(o).span()), page_size::of_system());
}

// Overlapping and touching ranges as one each, by address.
std::vector<range> joined(std::vector<range> all) {
    std::ranges::sort(all, {}, &range::begin);
    std::vector<range> out;
    for (const auto& r : all) {
        if (!out.empty() && r.begin() <= out.back().end())
            out.back() =
                range(out.back().begin(), std::max(out.back().end(), r.end()) - out.back().begin());
        else
            out.push_back(r);
    }
    return out;
}

} // namespace

replay_layout::replay_layout(std::span<const traced_operation> operations, std::size_t budget) {
    std::vector<range> there;
    std::size_t most_copied = 0;
    for (const auto& o : operations) {
        there.push_back(extent(o));
        if (o.kind == traced_kind::copy_batch)
            most_copied = std::max(most_copied, pieces(o).span());
    }
    there = joined(std::move(there));
    for (const auto& r : there)
        bytes_ += r.bytes();
    if (bytes_ + most_copied > budget)
        throw invalid_argument(
            {"replay", "FILE"},
            fmt::format("the trace needs {}, and at most {} are used here: an eighth of what "
                        "is free on the device, and no more than a GiB",
                        bytes_text(bytes_ + most_copied), bytes_text(budget)));
    allocate(there);
    if (most_copied > 0)
        pinned_ = pinned_memory_resource().allocate(most_copied);
}

// Touched on the host, as memory is that a program has filled.
void replay_layout::allocate(std::span<const range> there) {
    const managed_memory_resource resource({.device = device{0}});
    for (const auto& r : there) {
        areas_.push_back({r, resource.allocate(r.bytes())});
        const auto view = areas_.back().here.as_span<std::byte>();
        std::memset(view.data(), 0, view.size());
    }
}

std::vector<managed_buffer> replay_layout::targets(const traced_operation& o) const {
    const auto behind = std::ranges::upper_bound(areas_, o.address, {},
                                                 [](const area& a) { return a.there.begin(); });
    const auto& in = *std::prev(behind);
    const pieces p(o);
    std::vector<managed_buffer> out;
    out.reserve(p.count);
    for (std::size_t i = 0; i < p.count; ++i)
        out.push_back(in.here.slice(o.address - in.there.begin() + p.offset(i), p.bytes));
    return out;
}

std::vector<buffer> replay_layout::sources(const traced_operation& o) const {
    const pieces p(o);
    std::vector<buffer> out;
    out.reserve(p.count);
    for (std::size_t i = 0; i < p.count; ++i)
        out.push_back(pinned_.slice(p.offset(i), p.bytes));
    return out;
}

} // namespace cmm::tool
