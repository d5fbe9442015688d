// SPDX-License-Identifier: Apache-2.0
// cmm's constants and enumerations have the driver's values.
#include "driver_abi.h"
#include <boost/test/unit_test.hpp>
#include <cuda.h>
#include <type_traits>
import cmm.driver;

namespace cmm::abi {

template <class Ours, class Theirs> constexpr bool same(Ours ours, Theirs theirs) {
    if constexpr (std::is_enum_v<Ours>)
        return sizeof(Ours) == sizeof(Theirs) && static_cast<long long>(ours) == theirs;
    else
        return static_cast<long long>(ours) == static_cast<long long>(theirs);
}

static_assert(same(success, CUDA_SUCCESS));
static_assert(same(not_supported, CUDA_ERROR_NOT_SUPPORTED));
static_assert(same(version_not_sufficient, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT));

static_assert(same(attribute_integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED));
static_assert(same(attribute_managed_memory, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY));
static_assert(same(attribute_pageable_memory_access, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS));
static_assert(same(attribute_concurrent_managed_access,
                   CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS));
static_assert(same(attribute_host_numa_id, CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID));

static_assert(same(range_read_mostly, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY));
static_assert(same(range_preferred_location, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION));
static_assert(same(range_accessed_by, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY));
static_assert(same(range_last_prefetch_location, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION));
static_assert(same(range_preferred_location_type, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE));
static_assert(same(range_preferred_location_id, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID));
static_assert(same(range_last_prefetch_location_type,
                   CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE));
static_assert(same(range_last_prefetch_location_id,
                   CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID));
static_assert(same(ordinal_cpu, CU_DEVICE_CPU));
static_assert(same(ordinal_invalid, CU_DEVICE_INVALID));

static_assert(same(pointer_memory_type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE));
static_assert(same(pointer_is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED));
static_assert(same(pointer_device_ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL));
static_assert(same(pointer_range_start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR));
static_assert(same(pointer_range_size, CU_POINTER_ATTRIBUTE_RANGE_SIZE));
static_assert(same(pointer_mempool_handle, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE));
static_assert(same(memory_type_host, CU_MEMORYTYPE_HOST));
static_assert(same(memory_type_device, CU_MEMORYTYPE_DEVICE));

static_assert(same(capture_mode_relaxed, CU_STREAM_CAPTURE_MODE_RELAXED));
static_assert(same(capture_status_none, CU_STREAM_CAPTURE_STATUS_NONE));
static_assert(same(event_disable_timing, CU_EVENT_DISABLE_TIMING));
static_assert(same(stream_non_blocking, CU_STREAM_NON_BLOCKING));
static_assert(same(user_object_no_destructor_sync, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
static_assert(same(graph_user_object_move, CU_GRAPH_USER_OBJECT_MOVE));

// What users see of them.
static_assert(same(advice::set_read_mostly, CU_MEM_ADVISE_SET_READ_MOSTLY));
static_assert(same(advice::unset_read_mostly, CU_MEM_ADVISE_UNSET_READ_MOSTLY));
static_assert(same(advice::set_preferred_location, CU_MEM_ADVISE_SET_PREFERRED_LOCATION));
static_assert(same(advice::unset_preferred_location, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION));
static_assert(same(advice::set_accessed_by, CU_MEM_ADVISE_SET_ACCESSED_BY));
static_assert(same(advice::unset_accessed_by, CU_MEM_ADVISE_UNSET_ACCESSED_BY));

static_assert(same(location_kind::device, CU_MEM_LOCATION_TYPE_DEVICE));
static_assert(same(location_kind::host, CU_MEM_LOCATION_TYPE_HOST));
static_assert(same(location_kind::host_numa, CU_MEM_LOCATION_TYPE_HOST_NUMA));
static_assert(same(location_kind::host_numa_current, CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT));

static_assert(same(src_access_order::stream, CU_MEMCPY_SRC_ACCESS_ORDER_STREAM));
static_assert(same(src_access_order::during_api_call, CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL));
static_assert(same(src_access_order::any, CU_MEMCPY_SRC_ACCESS_ORDER_ANY));
static_assert(same(overlap_mode::standard, CU_MEMCPY_FLAG_DEFAULT));
static_assert(same(overlap_mode::prefer_overlap_with_compute,
                   CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE));

static_assert(same(attach::global, CU_MEM_ATTACH_GLOBAL));
static_assert(same(attach::host, CU_MEM_ATTACH_HOST));
static_assert(same(attach::single, CU_MEM_ATTACH_SINGLE));

using driver::result;
static_assert(same(result::success, CUDA_SUCCESS));
static_assert(same(result::invalid_value, CUDA_ERROR_INVALID_VALUE));
static_assert(same(result::out_of_memory, CUDA_ERROR_OUT_OF_MEMORY));
static_assert(same(result::not_initialized, CUDA_ERROR_NOT_INITIALIZED));
static_assert(same(result::deinitialized, CUDA_ERROR_DEINITIALIZED));
static_assert(same(result::invalid_device, CUDA_ERROR_INVALID_DEVICE));
static_assert(same(result::invalid_context, CUDA_ERROR_INVALID_CONTEXT));
static_assert(same(result::not_ready, CUDA_ERROR_NOT_READY));
static_assert(same(result::not_supported, CUDA_ERROR_NOT_SUPPORTED));
static_assert(same(result::capture_unsupported, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED));
static_assert(same(result::capture_invalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));
static_assert(same(result::capture_implicit, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT));

BOOST_AUTO_TEST_SUITE(values)

BOOST_AUTO_TEST_CASE(named_streams_are_the_drivers) {
    BOOST_TEST(driver::legacy_stream_named == static_cast<void*>(CU_STREAM_LEGACY));
    BOOST_TEST(driver::per_thread_stream == static_cast<void*>(CU_STREAM_PER_THREAD));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace cmm::abi
