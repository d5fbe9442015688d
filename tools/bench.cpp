// SPDX-License-Identifier: Apache-2.0
// cmm bench: the benchmark program, which stands beside this one.
#include "commands.hpp"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace cmm::tool {

int bench(const std::vector<std::string>& arguments) {
    std::error_code failed;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
    const auto program = (self.parent_path() / "cmm_bench_gpu").string();
    std::vector<char*> words{const_cast<char*>(program.c_str())};
    for (const auto& word : arguments)
        words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execv(program.c_str(), words.data());
    fmt::print(stderr,
               "cmm: bench: {} could not be started: {}; it is built by `./dev build`, or with "
               "-DCMM_BENCH=ON\n",
               program, std::strerror(errno));
    return 1;
}

} // namespace cmm::tool
