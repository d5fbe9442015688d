// SPDX-License-Identifier: Apache-2.0
// Operations on managed memory: say where ranges should live (advise) and move them (prefetch, discard,
// discard_prefetch). Every operation takes one target or many; the free functions come first, and the
// members of managed_buffer stand on them.
//
// Common to all of them:
// - Targets are buffers or plain ranges. A closed buffer throws closed; an empty sequence and a range
//   outside its allocation throw invalid_argument; a target of zero bytes is skipped.
// - One location serves all targets; a sequence pairs by index.
// - Everything is checked before the driver is called: what throws invalid_argument, not_supported or
//   closed has changed nothing. A driver_error says how many runs had been issued; advice is rolled back.
// - Neighbours in one allocation that go to the same place reach the driver as one range.
// - Thread-safe. The thread's current context and capture mode are as before when a call returns.
module;
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
export module cmm.ops;
export import cmm.error;
export import cmm.location;
export import cmm.buffer;
export import cmm.stream;
export import cmm.target;
export import cmm.trace;
export import cmm.driver;
export import :advice_calls;
export import :issue;
export import :traced;
import cmm.plan;

export namespace cmm {

// How what is left after merging reaches the driver.
enum class strategy : std::int32_t {
    automatic = 0,    // by the table of measured crossovers
    driver_batch = 1, // the batch entry point, where there is one
    per_range = 2,    // one call per range
    return_early = 3, // what gives the calling thread back first
};
CMM_API std::string_view to_string(strategy s) noexcept;

struct op_options {
    cmm::strategy strategy = cmm::strategy::automatic;
    // What a hint that this machine cannot honour does; default: default_hint_policy().
    std::optional<hint_policy> hints = std::nullopt;
};

// The process-wide policy for operations that name none. Nothing: strict for what was asked by name, warn
// for overlap modes, ignore for location hints of copies.
CMM_API void set_default_hint_policy(std::optional<hint_policy> p) noexcept;
CMM_API std::optional<hint_policy> default_hint_policy() noexcept;

// What an operation became.
struct report {
    std::size_t ranges_in = 0;      // not empty ones
    std::size_t ranges_out = 0;     // after merging
    std::size_t calls = 0;          // driver calls for them
    std::size_t bytes = 0;          // of the ranges given
    cmm::strategy strategy = cmm::strategy::per_range; // what was used
    std::string_view entry = {};    // "cuMemPrefetchBatchAsync@13000"
    std::string_view reason = {};   // why
    std::size_t ignored = 0;        // targets left out because of the hint policy
    std::string_view ignored_hint = {}; // a copy option that this machine does not honour
};

// Gives the driver advice about the ranges. `where` matters for preferred_location and accessed_by.
// Throws invalid_argument for a location that the advice does not take (accessed_by: only devices and the
// host), not_supported for memory of a driver's pool, for a device without concurrentManagedAccess
// (hint_policy), for NUMA locations below CUDA 12.2. A host NUMA node on a machine with one node becomes
// the host. Driver calls: one cuMemAdvise per run. CUDA 8.0.
CMM_API report advise(const target_list& targets, advice a, const location_list& where = host{},
                      const op_options& o = {});

// Moves the ranges to where they will be needed, in stream order. Contents are kept. Throws not_supported
// for a capturing stream, for a device without concurrentManagedAccess (hint_policy).
// Driver calls: cuMemPrefetchAsync (CUDA 8.0) or cuMemPrefetchBatchAsync (13.0).
CMM_API report prefetch(const target_list& targets, const location_list& where, stream_ref s,
                        const op_options& o = {});

// Says that the contents are no longer needed: afterwards they are indeterminate, and nothing is moved
// when the memory is next used. Pages that a range covers partly keep their contents. Throws
// not_supported below CUDA 13.0. Driver call: cuMemDiscardBatchAsync.
CMM_API report discard(const target_list& targets, stream_ref s, const op_options& o = {});

// Discards, and places the memory at the location without moving its contents: for buffers that are about
// to be overwritten. Throws not_supported below CUDA 13.0. Driver call: cuMemDiscardAndPrefetchBatchAsync.
CMM_API report discard_prefetch(const target_list& targets, const location_list& where, stream_ref s,
                                const op_options& o = {});

// -- what the driver knows of one range; it is asked each time, one query each ------------------------------

// Whether every page of it is read-mostly. cuMemRangeGetAttribute
CMM_API bool read_mostly(const target& t);
// Nothing where none is set, or where its pages differ.
CMM_API std::optional<location> preferred_location(const target& t);
CMM_API std::optional<location> last_prefetch_location(const target& t);
// Devices by ordinal, then the host.
CMM_API std::vector<location> accessed_by(const target& t);

// Sets of accessors as bits: what accessed_by is compared and assigned with.
struct accessor_set {
    std::uint64_t devices = 0;
    bool host = false;
    friend constexpr bool operator==(const accessor_set&, const accessor_set&) = default;
};
CMM_API accessor_set accessors(const target& t);
// Makes the set exactly `wanted`: every element is checked first, then only the differences reach the
// driver; when it refuses one, those before it are taken back. Throws invalid_argument (with the index) for
// a host NUMA node and a device that is not there. Driver calls: one query and one cuMemAdvise per difference.
CMM_API void assign_accessed_by(const target& t, const location_list& wanted);

} // namespace cmm
