// SPDX-License-Identifier: Apache-2.0
// The C interface of libcuda.so.1, of CUDA 13.0 with one device, that does nothing: what takes time on it
// is its caller. Queries answer constants: a range is read by device 0 and preferred there, was never
// prefetched, and its memory is managed.
#include "null.hpp"
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace {

using code = int;
using u64 = unsigned long long;

constexpr code success = 0;
constexpr code out_of_memory = 2;
constexpr code invalid_value = 1;
constexpr code not_found = 500;

int primary = 0;
void* const the_context = &primary;
thread_local void* current = nullptr;

code init(unsigned) { return success; }
code driver_version(int* out) {
    *out = 13000;
    return success;
}

// Anything that has nothing to answer. Arguments are the caller's to clean up, so that one serves all.
code nothing() { return success; }

code error_name(code r, const char** out) {
    *out = r == success ? "CUDA_SUCCESS" : r == out_of_memory ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR";
    return success;
}

// -- devices and contexts -----------------------------------------------------------------------------------

code device_get(int* out, int ordinal) {
    *out = ordinal;
    return ordinal == 0 ? success : 101;
}
code device_count(int* out) {
    *out = 1;
    return success;
}
code device_name(char* out, int bytes, int) {
    std::strncpy(out, "no device, a driver that does nothing", static_cast<std::size_t>(bytes));
    return success;
}
code device_attribute(int* out, int attribute, int) {
    constexpr int managed_memory = 83;
    constexpr int concurrent_managed_access = 89;
    *out = attribute == managed_memory || attribute == concurrent_managed_access;
    return success;
}
code retain_primary(void** out, int) {
    *out = the_context;
    return success;
}
code current_context(void** out) {
    *out = current;
    return success;
}
code push_context(void* c) {
    current = c;
    return success;
}
code pop_context(void** out) {
    *out = current;
    current = nullptr;
    return success;
}
code context_device(int* out) {
    *out = 0;
    return success;
}
code priority_range(int* least, int* greatest) {
    *least = 0;
    *greatest = 0;
    return success;
}

// -- streams and events ---------------------------------------------------------------------------------------

int any_object = 0;

code make_object(void** out) {
    *out = &any_object;
    return success;
}
code stream_priority(void*, int* out) {
    *out = 0;
    return success;
}
code stream_context(void*, void** out) {
    *out = the_context;
    return success;
}
code is_capturing(void*, int* out) {
    *out = 0;
    return success;
}
code exchange_capture_mode(int* mode) {
    thread_local int now = 0;
    const int before = now;
    now = *mode;
    *mode = before;
    return success;
}
code elapsed(float* out, void*, void*) {
    *out = 0;
    return success;
}

// -- captures, of which there are none ------------------------------------------------------------------------

code capture_info(void*, int* status, std::uint64_t*, void**, const void***, std::size_t* count) {
    *status = 0;
    if (count)
        *count = 0;
    return success;
}
code user_object(void** out, void*, void (*)(void*), unsigned, unsigned) { return make_object(out); }
code host_function(void*, void (*f)(void*), void* user) {
    f(user);
    return success;
}

// -- memory -----------------------------------------------------------------------------------------------------

code allocate_managed(u64* out, std::size_t bytes, unsigned) {
    *out = null_driver::allocate(bytes);
    return *out ? success : out_of_memory;
}
code allocate(u64* out, std::size_t bytes) { return allocate_managed(out, bytes, 1); }
code allocate_host(void** out, std::size_t bytes, unsigned) {
    const auto at = null_driver::allocate(bytes);
    *out = reinterpret_cast<void*>(at);
    return at ? success : out_of_memory;
}
code free_memory(u64 at) {
    null_driver::free(at);
    return success;
}
code memory_info(std::size_t* free_bytes, std::size_t* total) {
    *free_bytes = *total = std::size_t{1} << 40U;
    return success;
}

enum attribute_of_pointer { memory_type = 2, is_managed = 8, device_ordinal = 9, range_start = 11, range_size = 12 };

void put(int attribute, const null_driver::allocation& a, void* out) {
    const bool known = a.bytes != 0;
    switch (attribute) {
    case memory_type: *static_cast<int*>(out) = known ? 2 : 0; break;
    case is_managed: *static_cast<unsigned*>(out) = known; break;
    case device_ordinal: *static_cast<int*>(out) = 0; break;
    case range_start: *static_cast<u64*>(out) = a.at; break;
    case range_size: *static_cast<std::size_t*>(out) = a.bytes; break;
    default: *static_cast<void**>(out) = nullptr;
    }
}

code pointer_attribute(void* out, int attribute, u64 at) {
    put(attribute, null_driver::find(at), out);
    return success;
}
code pointer_attributes(unsigned count, int* attributes, void** out, u64 at) {
    const auto a = null_driver::find(at);
    for (unsigned i = 0; i < count; ++i)
        put(attributes[i], a, out[i]);
    return success;
}

code range_attribute(void* out, std::size_t bytes, int attribute, u64, std::size_t) {
    constexpr int accessed_by = 3;
    constexpr int nobody = -2;
    auto* const values = static_cast<int*>(out);
    values[0] = 0;
    if (attribute == accessed_by)
        for (std::size_t i = 1; i < bytes / sizeof(int); ++i)
            values[i] = nobody;
    return success;
}
code range_attributes(void** out, std::size_t*, int* attributes, std::size_t count, u64, std::size_t) {
    constexpr int preferred_location_type = 5;
    for (std::size_t i = 0; i < count; ++i)
        *static_cast<int*>(out[i]) = attributes[i] == preferred_location_type;
    return success;
}

// -- finding ------------------------------------------------------------------------------------------------------

struct row {
    std::string_view name;
    void* address;
};

template <class Function> row entry(std::string_view name, Function* f) {
    return {name, reinterpret_cast<void*>(f)};
}

const row rows[] = {
    entry("cuGetErrorName", &error_name),
    entry("cuGetErrorString", &error_name),
    entry("cuDeviceGet", &device_get),
    entry("cuDeviceGetCount", &device_count),
    entry("cuDeviceGetName", &device_name),
    entry("cuDeviceGetAttribute", &device_attribute),
    entry("cuDevicePrimaryCtxRetain", &retain_primary),
    entry("cuDevicePrimaryCtxRelease", &nothing),
    entry("cuCtxGetCurrent", &current_context),
    entry("cuCtxPushCurrent", &push_context),
    entry("cuCtxPopCurrent", &pop_context),
    entry("cuCtxGetDevice", &context_device),
    entry("cuCtxSynchronize", &nothing),
    entry("cuCtxGetStreamPriorityRange", &priority_range),
    entry("cuStreamCreateWithPriority", &make_object),
    entry("cuStreamDestroy", &nothing),
    entry("cuStreamSynchronize", &nothing),
    entry("cuStreamQuery", &nothing),
    entry("cuStreamGetPriority", &stream_priority),
    entry("cuStreamGetCtx", &stream_context),
    entry("cuStreamWaitEvent", &nothing),
    entry("cuStreamIsCapturing", &is_capturing),
    entry("cuThreadExchangeStreamCaptureMode", &exchange_capture_mode),
    entry("cuStreamGetCaptureInfo", &capture_info),
    entry("cuUserObjectCreate", &user_object),
    entry("cuUserObjectRelease", &nothing),
    entry("cuGraphRetainUserObject", &nothing),
    entry("cuLaunchHostFunc", &host_function),
    entry("cuEventCreate", &make_object),
    entry("cuEventDestroy", &nothing),
    entry("cuEventRecord", &nothing),
    entry("cuEventQuery", &nothing),
    entry("cuEventSynchronize", &nothing),
    entry("cuEventElapsedTime", &elapsed),
    entry("cuMemAllocManaged", &allocate_managed),
    entry("cuMemAlloc", &allocate),
    entry("cuMemHostAlloc", &allocate_host),
    entry("cuMemFree", &free_memory),
    entry("cuMemFreeHost", &free_memory),
    entry("cuMemGetInfo", &memory_info),
    entry("cuPointerGetAttribute", &pointer_attribute),
    entry("cuPointerGetAttributes", &pointer_attributes),
    entry("cuMemAdvise", &nothing),
    entry("cuMemRangeGetAttribute", &range_attribute),
    entry("cuMemRangeGetAttributes", &range_attributes),
    entry("cuMemPrefetchAsync", &nothing),
    entry("cuMemPrefetchBatchAsync", &nothing),
    entry("cuMemDiscardBatchAsync", &nothing),
    entry("cuMemDiscardAndPrefetchBatchAsync", &nothing),
    entry("cuMemcpyAsync", &nothing),
    entry("cuMemcpyBatchAsync", &nothing),
};

} // namespace

extern "C" {

__attribute__((visibility("default"))) int cuInit(unsigned flags) { return init(flags); }
__attribute__((visibility("default"))) int cuDriverGetVersion(int* out) { return driver_version(out); }

__attribute__((visibility("default"))) int cuGetProcAddress_v2(const char* name, void** out, int version,
                                                               std::uint64_t, int* status) {
    if (!name || !out)
        return invalid_value;
    *out = nullptr;
    for (const auto& r : rows)
        if (r.name == name && version <= 13000)
            *out = r.address;
    if (status)
        *status = *out ? 0 : 1;
    return *out ? success : not_found;
}
}
