// SPDX-License-Identifier: Apache-2.0
// The narrow waist under every other language: the whole of cmm over handles, numbers and arrays. The C ABI
// and the generated bindings call these functions and nothing else. They throw cmm's errors; a border turns
// them into its own with `current_error`.
module;
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>
export module cmm.boundary;
export import :codes;
export import cmm.handles;
export import cmm.managed;
export import cmm.prepared;
import cmm.context;
import cmm.driver;

export namespace cmm::boundary {

// -- values as they cross -----------------------------------------------------------------------------------

CMM_API location as_location(const location_code& l, const error_site& site);
CMM_API location_code as_code(const std::optional<location>& l) noexcept;

// Sequences of targets: handles alone, or targets.
class CMM_API held_targets {
public:
    held_targets(std::string_view operation, std::string_view argument, std::span<const target_code> codes);
    held_targets(std::string_view operation, std::string_view argument, std::span<const handle> buffers);
    ~held_targets();
    held_targets(const held_targets&) = delete;
    held_targets& operator=(const held_targets&) = delete;
    inline target_list list() const noexcept { return target_list(std::span<const target>(targets_)); }

private:
    void hold(handle h, std::size_t index, std::string_view operation, std::string_view argument);
    void release() noexcept;
    std::vector<target> targets_;
    std::vector<slot*> slots_;
};

// Locations: none given is an error of the operation; `paired` false: one location for all.
class CMM_API held_locations {
public:
    held_locations(std::string_view operation, std::span<const location_code> codes, bool paired);
    ~held_locations();
    held_locations(const held_locations&) = delete;
    held_locations& operator=(const held_locations&) = delete;
    inline location_list list() const noexcept {
        return paired_ ? location_list(std::span<const location>(many_)) : location_list(one_);
    }

private:
    location one_ = host{};
    std::vector<location> many_;
    bool paired_;
};

// -- errors ---------------------------------------------------------------------------------------------------

struct error_record {
    error_kind kind = error_kind::internal;
    std::string message;
    std::string argument;
    std::int64_t index = -1; // -1: none
    std::int64_t other_index = -1;
    std::int32_t code = 0; // CUresult; 0: not the driver's
    std::string name;      // of the code
    std::string entry;     // entry point
    std::uint64_t issued = 0;
};
// The exception that is being handled, in a record of the calling thread, which stands until the next one.
CMM_API const error_record& current_error() noexcept;

// -- driver and devices -----------------------------------------------------------------------------------------

// Opens with a library and a ceiling; "" and 0: the environment's choice.
CMM_API void open_driver(std::string_view library, std::int32_t api_level);
CMM_API void open_simulated(std::string_view config, std::int32_t api_level);
CMM_API std::string driver_library();
CMM_API std::int32_t driver_version();
CMM_API std::int32_t api_level();
CMM_API bool driver_is_simulated();
CMM_API std::int32_t devices();
CMM_API std::string device_name(std::int32_t device);
CMM_API std::int32_t numa_nodes();
// `operation` is a cmm::operation; the reason is empty where it works.
CMM_API std::string unsupported_reason(std::int32_t device, std::int32_t operation);
CMM_API memory_information device_memory(std::int32_t device);
CMM_API void make_current(std::int32_t device);
CMM_API void set_hint_policy(std::int32_t policy); // 0: the default again
CMM_API std::int32_t get_hint_policy() noexcept;

// -- streams and events -------------------------------------------------------------------------------------------

CMM_API handle stream_create(std::int32_t device /* -1: the current one */, std::int32_t priority, bool blocking);
CMM_API std::uint64_t stream_raw(handle s);
CMM_API std::int32_t stream_device(handle s);
CMM_API std::int32_t stream_priority(handle s);
CMM_API void stream_sync(stream_code s);
CMM_API bool stream_done(handle s);
CMM_API void stream_wait_event(handle s, handle event);
CMM_API void stream_wait_stream(handle s, stream_code other);
CMM_API bool stream_capturing(handle s);
CMM_API handle event_record(stream_code s, bool timing);
CMM_API std::uint64_t event_raw(handle e);
CMM_API void event_sync(handle e);
CMM_API bool event_done(handle e);
CMM_API double event_nanoseconds_since(handle e, handle earlier);

// -- resources and buffers ------------------------------------------------------------------------------------------

CMM_API handle resource_managed(std::int32_t device, std::int32_t attached);
CMM_API handle resource_arena(std::int32_t device, std::int32_t attached, std::uint64_t slab_bytes, std::uint64_t limit_bytes);
CMM_API handle resource_pinned();
CMM_API handle resource_device(std::int32_t device);
CMM_API handle resource_allocate(handle r, std::uint64_t bytes);
CMM_API std::vector<handle> resource_allocate_batch(handle r, std::span<const std::uint64_t> sizes);
CMM_API arena_statistics resource_stats(handle r);
CMM_API std::uint64_t resource_trim(handle r);
CMM_API bool resource_is_arena(handle r);
CMM_API std::int32_t resource_device_ordinal(handle r);

// `release(user)` is called once when the buffer and all work on it are done; null: nobody to tell. From any
// thread. `managed`: throw invalid_argument where it is no managed memory. On a throw, release is called too.
CMM_API handle buffer_borrow(std::uint64_t address, std::uint64_t bytes, bool managed, void (*release)(void*), void* user);
CMM_API std::uint64_t buffer_address(handle b);
CMM_API std::uint64_t buffer_bytes(handle b);
CMM_API std::int32_t buffer_kind(handle b); // cmm::memory_kind
CMM_API std::int32_t buffer_device(handle b);
CMM_API handle buffer_slice(handle b, std::uint64_t offset, std::uint64_t bytes);
// Closing breaks the buffer's plans; dropping it (handles' close) is what a collector does, and breaks none.
// Both are idempotent and let calls that hold the buffer finish.
CMM_API void buffer_close(handle b) noexcept;
CMM_API void buffer_close_after(handle b, stream_code s);
// How many host views of the allocation are alive.
CMM_API std::uint32_t buffer_views(handle b);
// The bytes on the host, kept alive until the view's handle is closed. Throws as buffer::as_span.
CMM_API handle view_open(handle b);
CMM_API std::uint64_t view_address(handle v);
CMM_API std::uint64_t view_bytes(handle v);

CMM_API std::uint64_t collect_retired() noexcept;
CMM_API void drain_retired() noexcept;

// -- advice of one buffer -----------------------------------------------------------------------------------------------

CMM_API bool get_read_mostly(handle b);
CMM_API void set_read_mostly(handle b, bool wanted);
CMM_API location_code get_preferred_location(handle b);
CMM_API void set_preferred_location(handle b, location_code wanted); // kind 0 unsets
CMM_API location_code get_last_prefetch_location(handle b);
CMM_API accessor_set get_accessed_by(handle b);
CMM_API void assign_accessed_by(handle b, std::span<const location_code> wanted);
CMM_API void add_accessed_by(handle b, location_code l);
CMM_API void discard_accessed_by(handle b, location_code l);

// -- operations ------------------------------------------------------------------------------------------------------------

CMM_API report advise(std::span<const target_code> targets, std::int32_t advice, std::span<const location_code> where,
                      bool paired, options_code o);
CMM_API report prefetch(std::span<const target_code> targets, std::span<const location_code> where, bool paired,
                        stream_code s, options_code o);
CMM_API report discard(std::span<const target_code> targets, stream_code s, options_code o);
CMM_API report discard_prefetch(std::span<const target_code> targets, std::span<const location_code> where, bool paired,
                                stream_code s, options_code o);
// One option for all copies (`per_copy` false), or one each.
CMM_API report copy_batch(stream_code s, std::span<const target_code> srcs, std::span<const target_code> dsts,
                          std::span<const copy_options_code> options, bool per_copy, options_code o);

// -- plans -----------------------------------------------------------------------------------------------------------------

CMM_API handle plan_prefetch(std::span<const target_code> targets, std::span<const location_code> where, bool paired,
                             options_code o);
CMM_API handle plan_discard_prefetch(std::span<const target_code> targets, std::span<const location_code> where,
                                     bool paired, options_code o);
CMM_API handle plan_advise(std::span<const target_code> targets, std::int32_t advice, std::span<const location_code> where,
                           bool paired, options_code o);
CMM_API handle plan_copy(std::span<const target_code> srcs, std::span<const target_code> dsts,
                         std::span<const copy_options_code> options, bool per_copy, options_code o);
// An advise plan ignores the stream.
CMM_API report plan_run(handle p, stream_code s);
CMM_API std::string plan_describe(handle p);
CMM_API std::uint64_t plan_ranges_in(handle p);
CMM_API std::uint64_t plan_ranges_out(handle p);

} // namespace cmm::boundary
