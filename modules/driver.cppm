// SPDX-License-Identifier: Apache-2.0
// The driver: the one table of entry points, the one place that knows CUDA versions, and one lowering
// function per operation. Lowering functions answer with the driver's result and never throw; they need
// no open driver before them, but open it with the environment's choice on first use.
module;
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>
export module cmm.driver;
export import cmm.error;
export import cmm.location;
export import cmm.range;
export import :types;
import cmm.plan;

export namespace cmm::driver {

// -- opening ------------------------------------------------------------------------------------------

// Opens a driver, or opens another one in place of the first. Objects of the earlier one must be gone.
// Throws driver_missing (what was tried, what to set), invalid_argument for an API level that is none.
CMM_API void open(const options& o = {});
CMM_API void open(const simulated& s, int api_level = 0);
// Whether a driver is there; opens it. Never throws.
CMM_API bool available() noexcept;
// The open driver's facts; opens it. Throws as open does. The reference holds until the next open.
CMM_API const facts& get_facts();
CMM_API const features& get_features();
// An entry point by name and pinned version, null where this driver or the ceiling lacks it.
CMM_API void* symbol(const char* name, int version);
// Grows with each open; 0: none is open. For caches above.
CMM_API std::uint64_t generation() noexcept;
// Index of the first device without concurrentManagedAccess; -1: all have it.
CMM_API int device_without_concurrent_access();

// -- errors ---------------------------------------------------------------------------------------------

CMM_API std::string_view name_of(result r) noexcept; // "CUDA_ERROR_INVALID_VALUE"
// Throws out_of_memory or driver_error. `call` is "cuMemAdvise(0x7f.., 4096 bytes, ...)".
[[noreturn]] CMM_API void refuse(result r, const error_site& site, std::string_view entry,
                                 std::string_view call, std::size_t issued = 0);
inline void check(result r, const error_site& site, std::string_view entry) {
    if (!ok(r)) [[unlikely]]
        refuse(r, site, entry, entry);
}

// -- lowering: devices and contexts -----------------------------------------------------------------------

CMM_API result primary_context(int device, context_handle& out) noexcept;
CMM_API result release_primary_context(int device) noexcept;
CMM_API result current_context(context_handle& out) noexcept;
CMM_API result push_context(context_handle c) noexcept;
CMM_API result pop_context() noexcept;
CMM_API result context_device(int& out) noexcept; // of the current context
CMM_API result synchronize_context() noexcept;
CMM_API result memory_info(std::size_t& free_bytes, std::size_t& total_bytes) noexcept;
CMM_API result relaxed_capture(int& before) noexcept;
CMM_API result restore_capture(int before) noexcept;

// -- lowering: streams and events ---------------------------------------------------------------------------

CMM_API result priority_range(int& least, int& greatest) noexcept;
CMM_API result create_stream(bool blocking, int priority, stream_handle& out) noexcept;
CMM_API result destroy_stream(stream_handle s) noexcept;
CMM_API result synchronize_stream(stream_handle s) noexcept;
CMM_API result query_stream(stream_handle s) noexcept;
CMM_API result stream_priority(stream_handle s, int& out) noexcept;
CMM_API result stream_context(stream_handle s, context_handle& out) noexcept;
CMM_API result stream_waits(stream_handle s, event_handle e) noexcept;
CMM_API result is_capturing(stream_handle s, bool& out) noexcept;
CMM_API result create_event(bool timing, event_handle& out) noexcept;
CMM_API result destroy_event(event_handle e) noexcept;
CMM_API result record_event(event_handle e, stream_handle s) noexcept;
CMM_API result query_event(event_handle e) noexcept;
CMM_API result synchronize_event(event_handle e) noexcept;
CMM_API result event_milliseconds(event_handle from, event_handle to, float& out) noexcept;
CMM_API result host_function(stream_handle s, void (*f)(void*), void* user) noexcept;
// Makes the graph that `s` is capturing into keep `user` until the graph and its executables are gone;
// `destroy(user)` is called then, or at once where this fails.
CMM_API result capture_keeps(stream_handle s, void* user, void (*destroy)(void*)) noexcept;

// -- lowering: memory ---------------------------------------------------------------------------------------

CMM_API result allocate_managed(std::size_t bytes, attach a, std::uintptr_t& out) noexcept;
CMM_API result allocate_device(std::size_t bytes, std::uintptr_t& out) noexcept;
CMM_API result allocate_pinned(std::size_t bytes, std::uintptr_t& out) noexcept;
CMM_API result free_memory(std::uintptr_t address) noexcept; // managed or device
CMM_API result free_pinned(std::uintptr_t address) noexcept;

struct pointer_facts {
    memory_kind kind;
    range allocation; // empty where the driver does not know one
    int device;       // -1: not known
};
// Pageable memory is an answer, not an error.
CMM_API result pointer(std::uintptr_t address, pointer_facts& out) noexcept;

CMM_API result advise(const range& r, advice a, const location& where) noexcept;
CMM_API result read_mostly(const range& r, bool& out) noexcept;
// Nothing where the range has none, or is mixed.
CMM_API result preferred_location(const range& r, std::optional<location>& out) noexcept;
CMM_API result last_prefetch_location(const range& r, std::optional<location>& out) noexcept;
// Device ordinals and -1 for the host, then -2; `out` has room for every device and the host.
CMM_API result accessed_by(const range& r, std::span<int> out) noexcept;

// -- lowering: moves ----------------------------------------------------------------------------------------

CMM_API result prefetch(const range& r, const location& where, stream_handle s) noexcept;
// Runs must not be empty. `s` must not be the legacy stream.
CMM_API result prefetch_batch(std::span<const plan::run> runs, stream_handle s) noexcept;
CMM_API result discard_batch(std::span<const plan::run> runs, stream_handle s) noexcept;
CMM_API result discard_prefetch_batch(std::span<const plan::run> runs, stream_handle s) noexcept;
CMM_API result copy(std::uintptr_t dst, std::uintptr_t src, std::size_t bytes, stream_handle s) noexcept;
// `options[run.options]` are a run's options; equal neighbours become one attribute. `failed` is the run
// that the driver named, or runs.size() where it named none.
CMM_API result copy_batch(std::span<const plan::copy_run> runs, std::span<const copy_options> options,
                          stream_handle s, std::size_t& failed) noexcept;

// Names for traces and errors: which entry point the function above uses here.
CMM_API std::string_view advise_entry() noexcept;
CMM_API std::string_view prefetch_entry() noexcept;
CMM_API std::string_view copy_batch_entry() noexcept;

} // namespace cmm::driver
