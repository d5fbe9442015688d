// SPDX-License-Identifier: Apache-2.0
// Where the batch call overtakes a loop of single calls: measured on a grid, and printed as the
// table that modules/crossovers.cppm holds.
module;
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <string_view>
#include <vector>
module cmm.bench.groups;
import cmm;
import cmm.bench.memory;
import cmm.bench.raw;
import cmm.bench.rounds;

namespace cmm::bench {

namespace {

constexpr std::size_t kib = 1024;
constexpr double clearly = 0.97; // a win by less may go the other way tomorrow

struct grid {
    std::vector<std::size_t> bytes;
    std::vector<std::size_t> counts;
};

grid points(bool quick) {
    if (quick)
        return {{4 * kib, 64 * kib}, {2, 8}};
    return {{4 * kib, 16 * kib, 32 * kib, 64 * kib, 256 * kib, 1024 * kib, 2048 * kib},
            {2, 8, 32, 64, 128, 256}};
}

struct point {
    double loop;
    double batch;
};

point measure_point(session& s, bool to_host, std::size_t bytes, std::size_t count) {
    const buffer_set set(kind::managed, placement::scattered, bytes, count);
    batch_arrays arrays(set.pieces());
    auto* const stream = s.stream_handle();
    const auto to = to_host ? on_host : on_device;
    const auto loop_to = [&](place where) {
        for (const auto& p : set.pieces())
            s.raw.prefetch(p, where, stream);
    };
    const auto back = [&] { loop_to(to_host ? on_device : on_host); };
    s.measure(
        {"crossovers", to_host ? "to host" : "to device", bytes, count},
        {{"raw loop", "scattered", [&] { loop_to(to); }, back},
         {"raw batch", "scattered", [&] { s.raw.prefetch_batch(arrays, to, stream); }, back}});
    const auto& rows = s.out.rows();
    return {median(rows[rows.size() - 2].done), median(rows.back().done)};
}

// One row of the table: from this many bytes and ranges on.
void print_change(bool to_host, std::size_t bytes, std::size_t count, bool batch, const point& p) {
    fmt::print("    {{{}, {}, {}, {}}}, // {} KiB x {}: loop {:.2f} ms, batch {:.2f} ms\n", to_host,
               bytes, count, batch, bytes / kib, count, p.loop / 1e6, p.batch / 1e6);
}

// What wins along the counts of one size. Between equals, what won before stays.
std::vector<bool> winners(const std::vector<point>& points) {
    std::vector<bool> out;
    bool batch = points.front().batch < points.front().loop;
    for (const auto& p : points) {
        if (p.batch < clearly * p.loop)
            batch = true;
        else if (p.loop < clearly * p.batch)
            batch = false;
        out.push_back(batch);
    }
    return out;
}

// Rows of smaller ranges hold for larger ones too, until one for these sizes and any count replaces
// them.
void print_direction(session& s, const grid& g, bool to_host) {
    std::vector<bool> before;
    for (const auto bytes : g.bytes) {
        std::vector<point> measured;
        for (const auto count : g.counts)
            measured.push_back(measure_point(s, to_host, bytes, count));
        const auto now = winners(measured);
        if (now == before)
            continue;
        const auto from = before.empty() ? 0 : bytes;
        for (std::size_t i = 0; i < now.size(); ++i)
            if (i == 0 || now[i] != now[i - 1])
                print_change(to_host, from, i == 0 ? 0 : g.counts[i], now[i], measured[i]);
        before = now;
    }
}

} // namespace

void crossovers(session& s) {
    const auto g = points(s.quick);
    fmt::print("inline constexpr crossover crossovers[] = {{\n");
    print_direction(s, g, false);
    print_direction(s, g, true);
    fmt::print("}};\n\n");
}

} // namespace cmm::bench
