// SPDX-License-Identifier: Apache-2.0
// Benchmarks in pairs: an operation of cmm, and the driver calls that it stands on. What counts is the
// difference.
#pragma once
#include "support/allocations.hpp"
#include <benchmark/benchmark.h>
#include <cstddef>
#include <string>
#include <utility>

namespace cmm::bench {

// The most that an operation may add to the driver calls.
struct limit {
    double nanoseconds;        // for each element, where there are several
    std::size_t elements = 1;
};

namespace detail {

void expect(const std::string& name, limit most);

template <class Work> void time(benchmark::State& state, const Work& work) {
    for (int i = 0; i < 3; ++i)
        work(); // scratch grows
    std::size_t allocated = 0;
    const auto before = test::allocations();
    for (auto _ : state)
        work();
    allocated = test::allocations() - before;
    state.counters["allocations"] = static_cast<double>(allocated);
}

} // namespace detail

// Registers `work` and `raw`; the summary at the end holds their difference to `most`.
template <class Work, class Raw>
void compare(const std::string& name, Work work, Raw raw, limit most) {
    detail::expect(name, most);
    benchmark::RegisterBenchmark(name.c_str(), [work](benchmark::State& s) { detail::time(s, work); });
    benchmark::RegisterBenchmark((name + "/driver").c_str(),
                                 [raw](benchmark::State& s) { detail::time(s, raw); });
}

// Opens the driver that does nothing, unless CMM_DRIVER names another.
void open_driver();

// Runs what `add` registers, on the driver of open_driver. Not zero where an operation took memory
// from the heap.
int run(int argc, char** argv, void (*add)());

} // namespace cmm::bench
