// SPDX-License-Identifier: Apache-2.0
#include "driver_text.hpp"
#include "text.hpp"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

import cmm;

namespace cmm::tool {

namespace {

constexpr std::size_t most_managed = std::size_t{1} << 30;

const driver::device_facts& first_device() {
    const auto& known = driver::get_facts();
    if (known.devices.empty())
        throw not_supported({"driver", {}}, known.library + " has no device");
    return known.devices.front();
}

// The level only where it is not the driver's own.
std::string level_text(const driver::facts& known) {
    if (known.level == known.version)
        return "CUDA " + version_text(known.version);
    return fmt::format("CUDA {}, used as CUDA {}", version_text(known.version),
                       version_text(known.level));
}

} // namespace

std::string open_or_simulate() {
    try {
        driver::get_facts();
        return {};
    } catch (const driver_missing& e) {
        const char* asked = std::getenv("CMM_DRIVER");
        if (asked && *asked)
            throw;
        driver::open({.library = "sim"});
        return e.what();
    }
}

std::string driver_text() {
    const auto& device = first_device();
    const auto& known = driver::get_facts();
    if (known.simulated)
        return fmt::format("the simulated driver of {}", level_text(known));
    return fmt::format("{}, driver of {}", device.name, level_text(known));
}

nlohmann::ordered_json driver_json() {
    const auto& known = driver::get_facts();
    return {{"library", known.library},
            {"simulated", known.simulated},
            {"version", known.version},
            {"level", known.level},
            {"device", first_device().name}};
}

std::size_t managed_budget() {
    return std::min(memory_info(device{0}).free_bytes / 8, most_managed);
}

} // namespace cmm::tool
