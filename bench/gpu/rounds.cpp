// SPDX-License-Identifier: Apache-2.0
module;
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <string_view>
#include <vector>
module cmm.bench.rounds;
import cmm;
import cmm.bench.raw;

namespace cmm::bench {

namespace {

using clock = std::chrono::steady_clock;

double nanoseconds(clock::duration d) {
    return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(d).count());
}

std::vector<row> empty_rows(const subject& s, const std::vector<contender>& contenders) {
    std::vector<row> out;
    for (const auto& c : contenders)
        out.push_back({s, c.system, c.placement, {}, {}});
    return out;
}

// Round 0 warms up and leaves no sample.
template <class Once> void in_turn(std::size_t rounds, std::size_t contenders, Once once) {
    for (std::size_t round = 0; round <= rounds; ++round)
        for (std::size_t i = 0; i < contenders; ++i)
            once((round + i) % contenders, round > 0);
}

// The fastest raw call that moved the same memory: of an arena, which no raw call knows, the
// neighbours'.
double best_raw(const std::vector<row>& rows, const row& of) {
    const auto placement = of.placement == "arena" ? std::string("neighbours") : of.placement;
    double best = 0;
    for (const auto& r : rows)
        if (r.system.starts_with("raw") && r.placement == placement &&
            r.about.group == of.about.group && r.about.what == of.about.what &&
            r.about.bytes == of.about.bytes && r.about.ranges == of.about.ranges) {
            const auto m = median(r.done);
            best = best == 0 ? m : std::min(best, m);
        }
    return best;
}

std::string size_text(std::size_t bytes) {
    if (bytes == 0)
        return "";
    if (bytes % (1U << 20U) == 0)
        return fmt::format("{} MiB", bytes >> 20U);
    return bytes % 1024 == 0 ? fmt::format("{} KiB", bytes >> 10U) : fmt::format("{} B", bytes);
}

void print_row(const std::vector<row>& rows, const row& r) {
    const auto done = median(r.done);
    const auto reference = best_raw(rows, r);
    fmt::print("{:<34} {:>8} x {:<4} {:<11} {:<18} {:>12.2f} {:>12.2f} {:>8}\n", r.about.what,
               size_text(r.about.bytes), r.about.ranges, r.placement, r.system, done / 1e3,
               median(r.returned) / 1e3,
               reference > 0 ? fmt::format("{:.2f}", done / reference) : "-");
}

} // namespace

double median(std::vector<double> samples) {
    if (samples.empty())
        return 0;
    const auto half = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
    std::ranges::nth_element(samples, half);
    if (samples.size() % 2 == 1)
        return *half;
    return (*half + *std::max_element(samples.begin(), half)) / 2;
}

void session::measure(const subject& s, std::vector<contender> contenders) {
    auto rows = empty_rows(s, contenders);
    in_turn(rounds, contenders.size(), [&](std::size_t i, bool keep) {
        if (contenders[i].before)
            contenders[i].before();
        wait();
        const auto begin = clock::now();
        contenders[i].work();
        const auto returned = clock::now();
        wait();
        const auto done = clock::now();
        if (!keep)
            return;
        rows[i].returned.push_back(nanoseconds(returned - begin));
        rows[i].done.push_back(nanoseconds(done - begin));
    });
    for (auto& r : rows)
        out.add(std::move(r));
}

void session::measure_calls(const subject& s, std::vector<contender> contenders,
                            std::size_t calls) {
    auto rows = empty_rows(s, contenders);
    in_turn(rounds, contenders.size(), [&](std::size_t i, bool keep) {
        if (contenders[i].before)
            contenders[i].before();
        wait();
        const auto begin = clock::now();
        for (std::size_t k = 0; k < calls; ++k)
            contenders[i].work();
        const auto mean = nanoseconds(clock::now() - begin) / static_cast<double>(calls);
        wait();
        if (!keep)
            return;
        rows[i].returned.push_back(mean);
        rows[i].done.push_back(mean);
    });
    for (auto& r : rows)
        out.add(std::move(r));
}

void results::print() const {
    fmt::print(
        "{}, CUDA {}{}: medians of {} rounds, microseconds; ratio to the best raw driver call\n",
        facts_.device, facts_.driver,
        facts_.simulated ? " (simulated driver: no time here means anything)" : "", facts_.rounds);
    std::string group;
    for (const auto& r : rows_) {
        if (r.about.group != group) {
            group = r.about.group;
            fmt::print("\n== {}\n{:<34} {:>15} {:<11} {:<18} {:>12} {:>12} {:>8}\n", group, "",
                       "ranges", "memory", "system", "done", "returned", "ratio");
        }
        print_row(rows_, r);
    }
}

} // namespace cmm::bench
