// SPDX-License-Identifier: Apache-2.0
// Addresses that nobody touches: what the driver that does nothing hands out as memory.
#pragma once
#include <cstddef>
#include <cstdint>

namespace null_driver {

struct allocation {
    std::uintptr_t at;
    std::size_t bytes; // 0: no allocation is there
};

// Null where the address space that was set aside is used up.
std::uintptr_t allocate(std::size_t bytes) noexcept;
void free(std::uintptr_t at) noexcept;
// The allocation that an address is in.
allocation find(std::uintptr_t address) noexcept;

} // namespace null_driver
