// SPDX-License-Identifier: Apache-2.0
// How the simulated machine is made up: text of `key=value` pairs and the environment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sim {

/// A name, or one version of it, that the look-up does not find. Version 0 hides every version.
struct hidden_entry {
    std::string name;
    int version = 0;
};

/// A fault as the configuration writes it: ENTRY:NTH:RESULT.
struct fault_text {
    std::string entry;
    std::uint64_t nth = 0;
    int result = 0;
};

struct settings {
    int version = 13000;
    int devices = 1;
    int numa_nodes = 1;
    std::vector<int> concurrent{1};
    std::vector<int> pageable{0};
    std::vector<int> integrated{0};
    bool managed = true;
    std::size_t page_size = 4096;
    std::size_t device_memory = std::size_t{8} << 30;
    std::size_t managed_limit = 0;
    std::uint64_t seed = 0;
    std::uint64_t copy_delay = 0;
    bool explain = false;
    std::vector<hidden_entry> hide;
    std::vector<fault_text> faults;
};

struct settings_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The defaults, then the environment (CMM_SIM_KEY), then `text`. @throws settings_error naming the
/// key.
settings read_settings(std::string_view text);

/// The value for one device of a list that holds one value for all, or one each.
int per_device(const std::vector<int>& values, int device);

} // namespace sim
