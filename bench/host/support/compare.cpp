// SPDX-License-Identifier: Apache-2.0
#include "host/support/compare.hpp"
#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>
import cmm;

namespace cmm::bench {

namespace {

struct expectation {
    std::string name;
    limit most;
};

std::vector<expectation>& expectations() {
    static std::vector<expectation> all;
    return all;
}

struct measured {
    double nanoseconds = std::numeric_limits<double>::infinity();
    double allocations = 0;
};

// Keeps the least of all repetitions: other work on the machine only adds.
class collector : public benchmark::ConsoleReporter {
public:
    using ConsoleReporter::ConsoleReporter;
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const auto& r : runs)
            if (r.run_type == Run::RT_Iteration && !r.error_occurred)
                keep(r);
    }
    const measured* find(const std::string& name) const {
        const auto found = results_.find(name);
        return found == results_.end() ? nullptr : &found->second;
    }

private:
    void keep(const Run& r) {
        auto& m = results_[r.run_name.function_name];
        m.nanoseconds = std::min(m.nanoseconds, r.GetAdjustedCPUTime());
        const auto allocations = r.counters.find("allocations");
        if (allocations != r.counters.end())
            m.allocations = std::max(m.allocations, allocations->second.value);
    }

    std::map<std::string, measured> results_;
};

// Whether it took nothing from the heap.
bool print(const expectation& e, const measured& ours, const measured& raw) {
    const double over = ours.nanoseconds - raw.nanoseconds;
    const double each = over / static_cast<double>(e.most.elements);
    fmt::print("{:<44} {:>10.1f} {:>10.1f} {:>10.1f} {:>10.1f} {:>8.0f} {:<6} {:>6.0f}\n", e.name,
               ours.nanoseconds, raw.nanoseconds, over, each, e.most.nanoseconds,
               each <= e.most.nanoseconds ? "met" : "MISSED", ours.allocations);
    return ours.allocations == 0;
}

bool print_all(const collector& results) {
    fmt::print("{}: nanoseconds of CPU time, least of all repetitions\n", driver::get_facts().library);
    fmt::print("{:<44} {:>10} {:>10} {:>10} {:>10} {:>8} {:<6} {:>6}\n", "operation", "cmm", "driver", "over it",
               "each", "at most", "", "allocs");
    bool good = true;
    for (const auto& e : expectations()) {
        const auto* ours = results.find(e.name);
        const auto* raw = results.find(e.name + "/driver");
        if (ours && raw)
            good &= print(e, *ours, *raw);
    }
    return good;
}

} // namespace

void open_driver() {
    if (std::getenv("CMM_DRIVER"))
        return;
    const auto bin = std::filesystem::canonical("/proc/self/exe").parent_path();
    driver::open({.library = (bin.parent_path() / "lib" / CMM_NULL_LIBRARY).string()});
}

void detail::expect(const std::string& name, limit most) { expectations().push_back({name, most}); }

int run(int argc, char** argv, void (*add)()) try {
    open_driver();
    set_current(device{0});
    std::string interleaving = "--benchmark_enable_random_interleaving=true";
    std::string repetitions = "--benchmark_repetitions=9";
    std::string least_time = "--benchmark_min_time=0.01";
    std::vector<char*> arguments{argv[0], interleaving.data(), repetitions.data(), least_time.data()};
    arguments.insert(arguments.end(), argv + 1, argv + argc);
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data()))
        return 2;
    add();
    collector results;
    benchmark::RunSpecifiedBenchmarks(&results);
    const bool good = print_all(results);
    fmt::print("{}\n", good ? "nothing was taken from the heap" : "something was taken from the heap");
    return good ? 0 : 1;
} catch (const std::exception& e) {
    fmt::print(stderr, "{}: {}\n", argv[0], e.what());
    return 2;
}

} // namespace cmm::bench
