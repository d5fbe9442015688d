// SPDX-License-Identifier: Apache-2.0
// The part of the CUDA driver's binary interface that the simulated driver speaks: results, handles
// and the structures that cross the boundary. No CUDA header is needed to build it.
#pragma once

#include <cstddef>
#include <cstdint>

#define SIM_EXPORT extern "C" __attribute__((visibility("default")))

namespace sim {

using handle = std::uint64_t;     // CUcontext, CUstream, CUevent and their like: never dereferenced
using device_ptr = std::uint64_t; // CUdeviceptr

enum class result : int {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    not_initialized = 3,
    deinitialized = 4,
    no_device = 100,
    invalid_device = 101,
    invalid_context = 201,
    peer_access_unsupported = 217,
    invalid_handle = 400,
    illegal_state = 401,
    not_found = 500,
    not_ready = 600,
    illegal_address = 700,
    peer_access_already_enabled = 704,
    peer_access_not_enabled = 705,
    primary_context_active = 708,
    context_is_destroyed = 709,
    host_memory_already_registered = 712,
    host_memory_not_registered = 713,
    launch_failed = 719,
    not_permitted = 800,
    not_supported = 801,
    capture_unsupported = 900,
    capture_invalidated = 901,
    capture_merge = 902,
    capture_unmatched = 903,
    capture_unjoined = 904,
    capture_isolation = 905,
    capture_implicit = 906,
    captured_event = 907,
    capture_wrong_thread = 908,
    unknown = 999,
};

enum class location_type : int {
    none = 0,
    device = 1,
    host = 2,
    host_numa = 3,
    host_numa_current = 4
};

struct location {
    location_type type = location_type::none;
    int id = 0;
    friend bool operator==(location, location) = default;
};

inline constexpr int cpu_ordinal = -1;     // CU_DEVICE_CPU
inline constexpr int invalid_ordinal = -2; // CU_DEVICE_INVALID

inline constexpr handle null_stream = 0;
inline constexpr handle legacy_stream = 1;
inline constexpr handle per_thread_stream = 2;

enum class source_order : int { invalid = 0, stream = 1, during_call = 2, any = 3 };

struct copy_attributes {
    source_order order;
    location source;
    location destination;
    unsigned flags;
};
static_assert(sizeof(copy_attributes) == 24);

enum class pool_type : int { invalid = 0, pinned = 1, managed = 2 };

struct pool_properties {
    pool_type type;
    int handle_types;
    location where;
    void* security_attributes;
    std::size_t max_size;
    unsigned short usage;
    unsigned char reserved[54];
};
static_assert(sizeof(pool_properties) == 88);

struct pool_access {
    location where;
    int flags;
};

// CUDA_MEMCPY3D
struct copy_3d_side {
    std::size_t x, y, z, lod;
    int memory_type;
    const void* host;
    device_ptr device;
    void* array;
    void* reserved;
    std::size_t pitch, height;
};
struct copy_3d {
    copy_3d_side source, destination;
    std::size_t width, height, depth;
};
static_assert(sizeof(copy_3d) == 200);

// CUDA_GRAPH_INSTANTIATE_PARAMS
struct instantiate_parameters {
    std::uint64_t flags;
    handle upload_stream;
    handle failed_node;
    int outcome;
};
static_assert(sizeof(instantiate_parameters) == 32);

struct uuid {
    unsigned char bytes[16];
};

using host_function = void (*)(void*);

} // namespace sim
