// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

import cmm;
import cmm.bench.groups;
import cmm.bench.memory;
import cmm.bench.raw;
import cmm.bench.rounds;

namespace {

using namespace cmm::bench;

struct options {
    std::size_t rounds = 9;
    bool quick = false;
    bool crossovers = false;
    std::vector<std::string> only;
    std::string json;
};

struct group {
    std::string_view name;
    void (*run)(session&);
};
constexpr group groups[] = {{"prefetch", &prefetches},
                            {"there", &already_there},
                            {"discard", &discard_prefetches},
                            {"copy", &copies},
                            {"calls", &calls},
                            {"alloc", &allocations},
                            {"bulk", &bulk}};

CLI::Option* add_groups(CLI::App& app, options& o) {
    std::vector<std::string> names;
    for (const auto& g : groups)
        names.emplace_back(g.name);
    return app.add_option("--only", o.only, "Groups to run; all by default")
        ->check(CLI::IsMember(names));
}

facts_of_run facts(const options& o) {
    const auto& known = cmm::driver::get_facts();
    return {known.devices.at(0).name,
            fmt::format("{}.{}", known.version / 1000, known.version % 1000 / 10), known.simulated,
            o.rounds};
}

void run_groups(session& s, const options& o) {
    for (const auto& g : groups) {
        if (!o.only.empty() && std::ranges::find(o.only, g.name) == o.only.end())
            continue;
        fmt::print(stderr, "{}...\n", g.name);
        g.run(s);
    }
}

// Whether nothing of what was taken is left.
bool all_freed() {
    cmm::drain();
    return bytes_leased() == 0 && cmm::collect() == 0;
}

int run(const options& o) {
    const auto f = facts(o);
    if (f.simulated)
        fmt::print("This is the simulated driver: what follows shows that the benchmark runs, and "
                   "no time.\n");
    cmm::set_current(cmm::device{0});
    session s{raw_driver(), cmm::stream(), o.rounds, o.quick, results(f)};
    if (o.crossovers)
        crossovers(s);
    else
        run_groups(s, o);
    s.out.print();
    if (!o.json.empty())
        s.out.write(o.json);
    fmt::print("\n{}\n", all_freed() ? "everything freed" : "memory was left behind");
    return all_freed() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    options o;
    CLI::App app("Moves, copies and calls on a GPU: cmm beside the raw driver calls.");
    app.add_option("--rounds", o.rounds, "Samples of each row")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_flag("--quick", o.quick, "Small and few");
    app.add_flag("--crossovers", o.crossovers,
                 "Print the table of modules/crossovers.cppm, from measurement");
    app.add_option("--json", o.json, "Write all samples to this file");
    add_groups(app, o);
    CLI11_PARSE(app, argc, argv);
    try {
        return run(o);
    } catch (const std::exception& e) {
        fmt::print(stderr, "cmm_bench_gpu: {}\n", e.what());
        return 1;
    }
}
