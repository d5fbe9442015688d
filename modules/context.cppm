// SPDX-License-Identifier: Apache-2.0
// Contexts and devices: which context a call runs in, and what a device can do. A call never changes the
// thread's current context or capture mode: guards put both back on every path.
module;
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>
export module cmm.context;
export import cmm.error;
export import cmm.location;
import cmm.driver;

export namespace cmm {

// What can be asked of a device before the first operation.
enum class operation : std::int32_t {
    advise = 1,
    prefetch = 2,
    discard = 3,
    discard_prefetch = 4,
    copy_batch = 5,
    numa_locations = 6,
    managed_memory = 7,
    batches = 8,        // prefetches of many ranges by one driver call
    pageable_memory = 9 // operations on memory of malloc and mmap
};
CMM_API std::string_view to_string(operation o) noexcept;

// Whether `o` works on `d` with this driver. `why_not` gets the reason, when given. No driver call.
// Throws invalid_argument for a device that is not there, and as driver::open does.
CMM_API bool supports(device d, operation o, std::string* why_not = nullptr);

// Bytes free and in all on a device. Driver calls: cuMemGetInfo, with the device's primary context.
struct memory_information {
    std::size_t free_bytes;
    std::size_t total_bytes;
};
CMM_API memory_information memory_info(device d);

CMM_API int device_count();
// Makes the primary context of `d` the calling thread's current one, as cudaSetDevice does.
CMM_API void set_current(device d);

} // namespace cmm

export namespace cmm::detail {

// Throws invalid_argument where the machine has no such device.
CMM_API void require_device(const error_site& site, std::int32_t ordinal);

// The device's primary context, retained once for the process. Throws on failure.
CMM_API driver::context_handle primary_context(int ordinal);

// The thread's current context, or the primary context of `otherwise` where it has none.
CMM_API driver::context_handle any_context(int otherwise);

// Makes a context current for the life of the guard; one query where it already is.
class CMM_API current_context {
public:
    explicit current_context(driver::context_handle wanted);
    ~current_context();
    current_context(const current_context&) = delete;
    current_context& operator=(const current_context&) = delete;

private:
    bool pushed_ = false;
};

// Calls that have no stream would invalidate any global-mode capture of the thread; in relaxed mode they
// do not. Capture modes are the thread's own.
class CMM_API relaxed_capture {
public:
    relaxed_capture() noexcept;
    ~relaxed_capture();
    relaxed_capture(const relaxed_capture&) = delete;
    relaxed_capture& operator=(const relaxed_capture&) = delete;

private:
    int before_ = 0;
    bool changed_;
};

} // namespace cmm::detail
