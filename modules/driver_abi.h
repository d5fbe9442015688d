// SPDX-License-Identifier: Apache-2.0
// The part of the CUDA driver's binary interface that cmm uses, declared by cmm itself so that no CUDA
// Toolkit is needed to build. tests/abi compares every line with the real cuda.h of 12.x and 13.x.
#pragma once
#include <cstddef>
#include <cstdint>

namespace cmm::abi {

using device_ptr = unsigned long long; // CUdeviceptr
using device_id = int;                 // CUdevice
using context = void*;                 // CUcontext
using stream = void*;                  // CUstream
using event = void*;                   // CUevent
using graph = void*;                   // CUgraph
using graph_node = void*;              // CUgraphNode
using user_object = void*;             // CUuserObject
using host_function = void (*)(void*); // CUhostFn
using error_code = int;                // CUresult

struct mem_location { // CUmemLocation
    int type;
    int id;
};

struct memcpy_attributes { // CUmemcpyAttributes
    int src_access_order;
    mem_location src_location_hint;
    mem_location dst_location_hint;
    unsigned flags;
};

inline constexpr int success = 0;          // CUresult
inline constexpr int not_supported = 801;
inline constexpr int version_not_sufficient = 2; // CUdriverProcAddressQueryResult

// CUdevice_attribute
inline constexpr int attribute_integrated = 18;
inline constexpr int attribute_managed_memory = 83;
inline constexpr int attribute_pageable_memory_access = 88;
inline constexpr int attribute_concurrent_managed_access = 89;
inline constexpr int attribute_host_numa_id = 134;

// CUmem_range_attribute
inline constexpr int range_read_mostly = 1;
inline constexpr int range_preferred_location = 2;
inline constexpr int range_accessed_by = 3;
inline constexpr int range_last_prefetch_location = 4;
inline constexpr int range_preferred_location_type = 5;
inline constexpr int range_preferred_location_id = 6;
inline constexpr int range_last_prefetch_location_type = 7;
inline constexpr int range_last_prefetch_location_id = 8;
inline constexpr int ordinal_cpu = -1;     // CU_DEVICE_CPU
inline constexpr int ordinal_invalid = -2; // CU_DEVICE_INVALID

// CUpointer_attribute
inline constexpr int pointer_memory_type = 2;
inline constexpr int pointer_is_managed = 8;
inline constexpr int pointer_device_ordinal = 9;
inline constexpr int pointer_range_start = 11;
inline constexpr int pointer_range_size = 12;
inline constexpr int pointer_mempool_handle = 17;
// CUmemorytype
inline constexpr int memory_type_host = 1;
inline constexpr int memory_type_device = 2;

inline constexpr int capture_mode_relaxed = 2;     // CUstreamCaptureMode
inline constexpr int capture_status_none = 0;      // CUstreamCaptureStatus
inline constexpr unsigned event_disable_timing = 2; // CUevent_flags
inline constexpr unsigned stream_non_blocking = 1;  // CUstream_flags
inline constexpr unsigned user_object_no_destructor_sync = 1; // CUuserObject_flags
inline constexpr unsigned graph_user_object_move = 1;         // CUuserObjectRetain_flags

} // namespace cmm::abi
