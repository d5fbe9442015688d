// SPDX-License-Identifier: Apache-2.0
// The subcommands. Each returns the program's exit status: 0, or 1 where something did not work;
// what stops it altogether is thrown.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace cmm::tool {

struct demo_options {
    std::vector<std::string> files; // none: a few that every Linux machine has
    bool json = false;
};
int demo(const demo_options& o);

struct doctor_options {
    bool all = false; // every look-up, not only those that depend on the driver's version
    bool json = false;
};
int doctor(const doctor_options& o);

struct replay_options {
    std::string file;
    bool json = false;
};
int replay(const replay_options& o);

// Runs the benchmark program that stands beside this one, in place of this process.
int bench(const std::vector<std::string>& arguments);

} // namespace cmm::tool
