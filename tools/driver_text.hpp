// SPDX-License-Identifier: Apache-2.0
// Which driver a command runs on, opened and told.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace cmm::tool {

// Opens the driver that the environment asks for. Where it asks for none and none is there, opens
// the simulated one and returns why. Throws driver_missing.
std::string open_or_simulate();

// "NVIDIA H200, driver of CUDA 13.0" or "the simulated driver of CUDA 13.0". Throws not_supported
// where the driver has no device.
std::string driver_text();
nlohmann::ordered_json driver_json();

// How many bytes of managed memory a command may have at once: an eighth of what is free on the
// device, and never more than a GiB. More managed memory than a device has can stall the whole
// machine.
std::size_t managed_budget();

} // namespace cmm::tool
