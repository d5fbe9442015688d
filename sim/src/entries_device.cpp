// SPDX-License-Identifier: Apache-2.0
// Devices: count, names, attributes, peers.
#include "entry.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

namespace sim {
namespace {

struct attribute {
    int id, value;
};

// A machine of the present: what is not listed is 0, as far as CUDA knows the attribute.
constexpr attribute fixed_attributes[] = {
    {1, 1024},        // max threads per block
    {2, 1024},        // max block x, y, z
    {3, 1024},        //
    {4, 64},          //
    {5, 2147483647},  // max grid x, y, z
    {6, 65535},       //
    {7, 65535},       //
    {8, 49152},       // shared memory per block
    {9, 65536},       // constant memory
    {10, 32},         // warp size
    {11, 2147483647}, // max pitch
    {12, 65536},      // registers per block
    {13, 1980000},    // clock, kHz
    {14, 512},        // texture alignment
    {15, 1},          // copies beside kernels
    {16, 132},        // multiprocessors
    {19, 1},          // maps host memory
    {31, 1},          // concurrent kernels
    {32, 1},          // ECC
    {36, 3201000},    // memory clock, kHz
    {37, 6144},       // bus width
    {38, 62914560},   // L2
    {39, 2048},       // threads per multiprocessor
    {40, 3},          // copy engines
    {41, 1},          // unified addressing
    {75, 9},          // compute capability
    {76, 0},          //
    {78, 1},          // stream priorities
    {79, 1},          // L1 for globals
    {80, 1},          // L1 for locals
    {81, 233472},     // shared memory per multiprocessor
    {82, 65536},      // registers per multiprocessor
    {90, 1},          // compute preemption
    {91, 1},          // registered memory at its host pointer
    {99, 1},          // host register
    {115, 1},         // memory pools
};

// The last attribute that CUDA knew at a version, as far as headers tell.
struct attribute_limit {
    int since, last;
};
constexpr attribute_limit attribute_limits[] = {
    {13010, 161}, {13000, 148}, {12090, 143}, {12080, 138},
    {12020, 134}, {12010, 132}, {12000, 129},
};

int last_attribute(int version) {
    const auto* known = std::ranges::find_if(
        attribute_limits, [=](const attribute_limit& limit) { return version >= limit.since; });
    return known == std::end(attribute_limits) ? 128 : known->last;
}

std::optional<int> own_attribute(const settings& config, int id, int device) {
    switch (id) {
    case 18: return per_device(config.integrated, device);
    case 33: return device + 1; // PCI bus
    case 83: return config.managed ? 1 : 0;
    case 88: return per_device(config.pageable, device);
    case 89: return per_device(config.concurrent, device);
    case 84: return 0;
    case 134: return device % config.numa_nodes; // host NUMA node
    default: return {};
    }
}

int attribute_of(const settings& config, int id, int device) {
    refuse_if(id < 1 || id > last_attribute(config.version));
    if (const auto own = own_attribute(config, id, device))
        return *own;
    const auto* fixed = std::ranges::find(fixed_attributes, id, &attribute::id);
    return fixed == std::end(fixed_attributes) ? 0 : fixed->value;
}

void check_device(const world& w, int device) {
    refuse_if(!w.device_exists(device), result::invalid_device);
}

uuid uuid_of(int device) {
    uuid made{};
    std::memcpy(made.bytes, "cmm simulated\0\0", 15);
    made.bytes[15] = static_cast<unsigned char>(device);
    return made;
}

result device_uuid(entry call, uuid* out, int device) {
    return call.initialised([&](locked& w) {
        refuse_if(out == nullptr);
        check_device(*w, device);
        *out = uuid_of(device);
        return result::success;
    });
}

// CUdevice_P2PAttribute: performance rank, access, native atomics, array access
int peer_attribute(int id) { return id == 2 || id == 4 ? 1 : 0; }

} // namespace
} // namespace sim

using namespace sim;

SIM_EXPORT result cuDeviceGet(int* device, int ordinal) {
    return entry("cuDeviceGet").initialised([&](locked& w) {
        refuse_if(device == nullptr);
        check_device(*w, ordinal);
        *device = ordinal;
        return result::success;
    });
}

SIM_EXPORT result cuDeviceGetCount(int* count) {
    return entry("cuDeviceGetCount").initialised([&](locked& w) {
        refuse_if(count == nullptr);
        *count = w->config.devices;
        return result::success;
    });
}

SIM_EXPORT result cuDeviceGetName(char* name, int length, int device) {
    return entry("cuDeviceGetName").initialised([&](locked& w) {
        refuse_if(name == nullptr || length <= 0);
        check_device(*w, device);
        const auto text = fmt::format("cmm simulated device {}", device);
        const auto kept = std::min(text.size(), static_cast<std::size_t>(length) - 1);
        std::memcpy(name, text.data(), kept);
        name[kept] = '\0';
        return result::success;
    });
}

SIM_EXPORT result cuDeviceGetUuid(uuid* out, int device) {
    return device_uuid(entry("cuDeviceGetUuid", 9020), out, device);
}
SIM_EXPORT result cuDeviceGetUuid_v2(uuid* out, int device) {
    return device_uuid(entry("cuDeviceGetUuid", 11040), out, device);
}

SIM_EXPORT result cuDeviceGetAttribute(int* value, int id, int device) {
    return entry("cuDeviceGetAttribute").initialised([&](locked& w) {
        refuse_if(value == nullptr);
        check_device(*w, device);
        *value = attribute_of(w->config, id, device);
        return result::success;
    });
}

SIM_EXPORT result cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
    return entry("cuDeviceTotalMem", 3020).initialised([&](locked& w) {
        refuse_if(bytes == nullptr);
        check_device(*w, device);
        *bytes = w->config.device_memory;
        return result::success;
    });
}

SIM_EXPORT result cuDeviceGetPCIBusId(char* text, int length, int device) {
    return entry("cuDeviceGetPCIBusId").initialised([&](locked& w) {
        check_device(*w, device);
        const auto id = fmt::format("0000:{:02x}:00.0", device + 1);
        refuse_if(text == nullptr || static_cast<std::size_t>(std::max(length, 0)) <= id.size());
        std::memcpy(text, id.c_str(), id.size() + 1);
        return result::success;
    });
}

SIM_EXPORT result cuDeviceCanAccessPeer(int* can, int device, int peer) {
    return entry("cuDeviceCanAccessPeer").initialised([&](locked& w) {
        refuse_if(can == nullptr);
        check_device(*w, device);
        check_device(*w, peer);
        *can = device != peer ? 1 : 0;
        return result::success;
    });
}

SIM_EXPORT result cuDeviceGetP2PAttribute(int* value, int id, int device, int peer) {
    return entry("cuDeviceGetP2PAttribute").initialised([&](locked& w) {
        check_device(*w, device);
        check_device(*w, peer);
        refuse_if(value == nullptr || id < 1 || id > 5 || device == peer);
        *value = peer_attribute(id);
        return result::success;
    });
}

static const export_list device_exports{
    row<cuDeviceGet>("cuDeviceGet", 2000),
    row<cuDeviceGetCount>("cuDeviceGetCount", 2000),
    row<cuDeviceGetName>("cuDeviceGetName", 2000),
    row<cuDeviceGetUuid>("cuDeviceGetUuid", 9020),
    row<cuDeviceGetUuid_v2>("cuDeviceGetUuid", 11040),
    row<cuDeviceGetAttribute>("cuDeviceGetAttribute", 2000),
    row<cuDeviceTotalMem_v2>("cuDeviceTotalMem", 3020),
    row<cuDeviceGetPCIBusId>("cuDeviceGetPCIBusId", 4010),
    row<cuDeviceCanAccessPeer>("cuDeviceCanAccessPeer", 4000),
    row<cuDeviceGetP2PAttribute>("cuDeviceGetP2PAttribute", 8000),
};
