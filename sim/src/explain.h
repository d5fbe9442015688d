// SPDX-License-Identifier: Apache-2.0
// An opt-in handler that says what happened when the host touches device memory.
#pragma once

#include "abi.h"

namespace sim::explain {

/// Installs the handler, once in a process. Faults elsewhere go to the handler that was there
/// before.
void install();
void add(device_ptr address, std::size_t bytes);
void remove(device_ptr address);

} // namespace sim::explain
