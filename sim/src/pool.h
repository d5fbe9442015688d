// SPDX-License-Identifier: Apache-2.0
// Memory pools, whose memory comes and goes in stream order.
#pragma once

#include "abi.h"

#include <cstdint>
#include <map>

namespace sim {

struct memory_pool {
    handle id = 0;
    pool_type type = pool_type::pinned;
    location where;
    std::size_t max_bytes = 0;
    int reuse[3] = {1, 1, 1}; // follow event dependencies, opportunistic, internal dependencies
    std::uint64_t release_threshold = 0;
    std::uint64_t used = 0, used_high = 0, reserved_high = 0;
    std::map<std::uint64_t, int> access; // location, as type << 32 | id, to flags
    bool owned_by_client = true;
};

} // namespace sim
