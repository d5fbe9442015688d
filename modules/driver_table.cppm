// SPDX-License-Identifier: Apache-2.0
// The table of entry points: a row is the signature, our name, the driver's name and its pinned version.
// Two shapes of one name stand side by side; there is no second list.
module;
#include "driver_abi.h"
#include <cstddef>
#include <cstdint>
#include <vector>
module cmm.driver:table;
import :lookups;

namespace cmm::driver {

template <class Signature> class entry;

// What a driver handed out, or nothing. A call compiles to load and jump; where nothing was found it
// answers NOT_SUPPORTED, so that a driver that lacks what its version promises is an error, no crash.
template <class... Args> class entry<abi::error_code(Args...)> {
public:
    using pointer = abi::error_code (*)(Args...) noexcept;
    entry(found f) noexcept : call_(f.address ? reinterpret_cast<pointer>(f.address) : &absent) {}
    explicit operator bool() const noexcept { return call_ != &absent; }
    abi::error_code operator()(Args... args) const noexcept { return call_(args...); }

private:
    static abi::error_code absent(Args...) noexcept { return abi::not_supported; }
    pointer call_;
};

using abi::context, abi::stream, abi::event, abi::device_ptr, abi::device_id, abi::mem_location;
using code = abi::error_code;
using count = std::size_t;

struct table {
    resolver find;

    entry<code(code, const char**)> error_name = find("cuGetErrorName", 6000);
    entry<code(code, const char**)> error_string = find("cuGetErrorString", 6000);

    entry<code(device_id*, int)> device_get = find("cuDeviceGet", 2000);
    entry<code(int*)> device_count = find("cuDeviceGetCount", 2000);
    entry<code(char*, int, device_id)> device_name = find("cuDeviceGetName", 2000);
    entry<code(int*, int, device_id)> device_attribute = find("cuDeviceGetAttribute", 2000);
    entry<code(context*, device_id)> primary_retain = find("cuDevicePrimaryCtxRetain", 7000);
    entry<code(device_id)> primary_release = find("cuDevicePrimaryCtxRelease", 11000);
    entry<code(context*)> current_context = find("cuCtxGetCurrent", 4000);
    entry<code(context)> push_context = find("cuCtxPushCurrent", 4000);
    entry<code(context*)> pop_context = find("cuCtxPopCurrent", 4000);
    entry<code(device_id*)> context_device = find("cuCtxGetDevice", 2000);
    entry<code()> context_synchronize = find("cuCtxSynchronize", 2000);
    entry<code(int*, int*)> priority_range = find("cuCtxGetStreamPriorityRange", 5050);

    entry<code(stream*, unsigned, int)> stream_create = find("cuStreamCreateWithPriority", 5050);
    entry<code(stream)> stream_destroy = find("cuStreamDestroy", 4000);
    entry<code(stream)> stream_synchronize = find("cuStreamSynchronize", 2000);
    entry<code(stream)> stream_query = find("cuStreamQuery", 2000);
    entry<code(stream, int*)> stream_priority = find("cuStreamGetPriority", 5050);
    entry<code(stream, context*)> stream_context = find("cuStreamGetCtx", 9020);
    entry<code(stream, event, unsigned)> stream_wait = find("cuStreamWaitEvent", 3020);
    entry<code(stream, int*)> stream_is_capturing = find("cuStreamIsCapturing", 10000);
    entry<code(stream, int*, std::uint64_t*, abi::graph*, const abi::graph_node**, count*)> capture_info =
        find("cuStreamGetCaptureInfo", 11030);
    entry<code(int*)> exchange_capture_mode = find("cuThreadExchangeStreamCaptureMode", 10010);
    entry<code(stream, abi::host_function, void*)> host_function = find("cuLaunchHostFunc", 10000);
    entry<code(event*, unsigned)> event_create = find("cuEventCreate", 2000);
    entry<code(event)> event_destroy = find("cuEventDestroy", 4000);
    entry<code(event, stream)> event_record = find("cuEventRecord", 2000);
    entry<code(event)> event_query = find("cuEventQuery", 2000);
    entry<code(event)> event_synchronize = find("cuEventSynchronize", 2000);
    entry<code(float*, event, event)> event_elapsed = find("cuEventElapsedTime", 2000);
    entry<code(abi::user_object*, void*, abi::host_function, unsigned, unsigned)> user_object_create =
        find("cuUserObjectCreate", 11030);
    entry<code(abi::user_object, unsigned)> user_object_release = find("cuUserObjectRelease", 11030);
    entry<code(abi::graph, abi::user_object, unsigned, unsigned)> graph_retain =
        find("cuGraphRetainUserObject", 11030);

    entry<code(device_ptr*, count, unsigned)> alloc_managed = find("cuMemAllocManaged", 6000);
    entry<code(device_ptr*, count)> alloc_device = find("cuMemAlloc", 3020);
    entry<code(void**, count, unsigned)> alloc_host = find("cuMemHostAlloc", 2020);
    entry<code(device_ptr)> free_memory = find("cuMemFree", 3020);
    entry<code(void*)> free_host = find("cuMemFreeHost", 2000);
    entry<code(count*, count*)> memory_info = find("cuMemGetInfo", 3020);
    entry<code(void*, int, device_ptr)> pointer_attribute = find("cuPointerGetAttribute", 4000);
    entry<code(unsigned, int*, void**, device_ptr)> pointer_attributes =
        find("cuPointerGetAttributes", 7000);

    entry<code(device_ptr, count, int, device_id)> advise_8000 = find("cuMemAdvise", 8000);
    entry<code(device_ptr, count, int, mem_location)> advise_12020 = find("cuMemAdvise", 12020);
    entry<code(void*, count, int, device_ptr, count)> range_attribute =
        find("cuMemRangeGetAttribute", 8000);
    entry<code(void**, count*, int*, count, device_ptr, count)> range_attributes =
        find("cuMemRangeGetAttributes", 8000);

    entry<code(device_ptr, count, device_id, stream)> prefetch_8000 = find("cuMemPrefetchAsync", 8000);
    entry<code(device_ptr, count, mem_location, unsigned, stream)> prefetch_12020 =
        find("cuMemPrefetchAsync", 12020);
    entry<code(device_ptr*, count*, count, mem_location*, count*, count, unsigned long long, stream)>
        prefetch_batch = find("cuMemPrefetchBatchAsync", 13000);
    entry<code(device_ptr*, count*, count, unsigned long long, stream)> discard_batch =
        find("cuMemDiscardBatchAsync", 13000);
    entry<code(device_ptr*, count*, count, mem_location*, count*, count, unsigned long long, stream)>
        discard_prefetch_batch = find("cuMemDiscardAndPrefetchBatchAsync", 13000);
    entry<code(device_ptr, device_ptr, count, stream)> copy = find("cuMemcpyAsync", 4000);
    entry<code(device_ptr*, device_ptr*, count*, count, abi::memcpy_attributes*, count*, count, count*,
               stream)>
        copy_batch_12080 = find("cuMemcpyBatchAsync", 12080);
    entry<code(device_ptr*, device_ptr*, count*, count, abi::memcpy_attributes*, count*, count, stream)>
        copy_batch_13000 = find("cuMemcpyBatchAsync", 13000);
};

} // namespace cmm::driver
