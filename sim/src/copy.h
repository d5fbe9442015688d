// SPDX-License-Identifier: Apache-2.0
// Copies and fills: where their bytes are, and the work that moves them.
#pragma once

#include "world.h"

namespace sim {

/// One side of a copy: bytes, and the block that holds them where the driver knows it.
struct operand {
    std::byte* at;
    block_ref held;
};

/// Memory that the driver does not know is ordinary host memory. @throws refusal for null and for a
/// range that leaves its block.
operand find_operand(const world& w, device_ptr address, std::size_t bytes);
/// The same, where the driver has to know the memory as one that a device can reach.
operand find_device_operand(const world& w, device_ptr address, std::size_t bytes);

operation copy_work(const operand& to, const operand& from, std::size_t bytes);
/// Reads the source now: what the client does with it afterwards is of no consequence.
operation copy_work_of_snapshot(const operand& to, const operand& from, std::size_t bytes);

} // namespace sim
