// SPDX-License-Identifier: Apache-2.0
#include "cpus.hpp"
#include <cstdio>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <string>

namespace {

// The kernel's form of a set of CPUs: "0-7,16-23".
cpu_set_t parse(const std::string& list) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    std::istringstream parts(list);
    for (std::string part; std::getline(parts, part, ',');) {
        int first = 0;
        int last = 0;
        const int numbers = std::sscanf(part.c_str(), "%d-%d", &first, &last);
        for (int cpu = first; numbers > 0 && cpu <= (numbers == 2 ? last : first); ++cpu)
            CPU_SET(static_cast<std::size_t>(cpu), &cpus);
    }
    return cpus;
}

} // namespace

bool bind_to_node(int node) {
    std::ifstream file("/sys/devices/system/node/node" + std::to_string(node) + "/cpulist");
    std::string list;
    if (!std::getline(file, list))
        return false;
    const cpu_set_t cpus = parse(list);
    return CPU_COUNT(&cpus) > 0 && ::sched_setaffinity(0, sizeof cpus, &cpus) == 0;
}
