// SPDX-License-Identifier: Apache-2.0
// cmm demo: real files through managed memory, checked.
#include "commands.hpp"
#include "driver_text.hpp"
#include "interrupt.hpp"
#include "terminal.hpp"
#include "text.hpp"
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
// Imports.
#include "demo_print.hpp"

namespace cmm::tool {

namespace {

std::vector<source> as_sources(const std::vector<std::string>& paths) {
    std::vector<source> out;
    out.reserve(paths.size());
    for (const auto& path : paths)
        out.emplace_back(path);
    return out;
}

// 0 where a file does not say how long it is.
std::uint64_t bytes_in(const std::vector<source>& sources) {
    std::uint64_t bytes = 0;
    for (const auto& s : sources) {
        if (!s.finished() && !s.sized())
            return 0;
        bytes += s.finished() ? 0 : s.next_bytes();
    }
    return bytes;
}

void print_driver(const std::string& fallback) {
    fmt::print("cmm demo on {}\n", strong(driver_text()));
    if (!fallback.empty())
        fmt::print("No NVIDIA driver serves here: {}\n", fallback);
    if (driver::get_facts().simulated)
        fmt::print("No GPU takes part: kernels are functions on the CPU, and times and rates are "
                   "simulated.\n");
    std::fflush(stdout);
}

} // namespace

int demo(const demo_options& o) {
    const auto fallback = open_or_simulate();
    if (!o.json)
        print_driver(fallback);
    auto sources = as_sources(o.files.empty() ? default_files() : o.files);
    staging work(sources);
    {
        const interrupts_noted noted;
        progress shown("staging", bytes_in(sources), !o.json);
        work.run(shown);
    }
    if (o.json)
        print_demo_json(sources, work, fallback);
    else
        print_demo(sources, work);
    const auto right = [](const source& s) { return s.error().empty() && is_right(s); };
    return std::ranges::all_of(sources, right) ? 0 : 1;
}

} // namespace cmm::tool
