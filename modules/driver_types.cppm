// SPDX-License-Identifier: Apache-2.0
// The driver's words as cmm uses them: advice, options, kinds of memory, results, facts.
module;
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
export module cmm.driver:types;
import cmm.location;

export namespace cmm {

// The driver's advice, with the driver's values.
enum class advice : std::int32_t {
    set_read_mostly = 1,
    unset_read_mostly = 2,
    set_preferred_location = 3,
    unset_preferred_location = 4,
    set_accessed_by = 5,
    unset_accessed_by = 6,
};
CMM_API std::string_view to_string(advice a) noexcept;

// When a batched copy may read its source, with the driver's values.
enum class src_access_order : std::int32_t { stream = 1, during_api_call = 2, any = 3 };
// Whether a copy would rather run beside kernels (on integrated GPUs), with the driver's values.
enum class overlap_mode : std::int32_t { standard = 0, prefer_overlap_with_compute = 1 };
CMM_API std::string_view to_string(src_access_order o) noexcept;
CMM_API std::string_view to_string(overlap_mode m) noexcept;

struct copy_options {
    cmm::src_access_order src_access_order = cmm::src_access_order::stream;
    std::optional<location> src_location_hint = std::nullopt;
    std::optional<location> dst_location_hint = std::nullopt;
    cmm::overlap_mode overlap_mode = cmm::overlap_mode::standard;
    friend bool operator==(const copy_options&, const copy_options&) = default;
};

// What kind of memory an address is in.
enum class memory_kind : std::uint8_t { unknown = 0, managed = 1, managed_pool = 2, device = 3, pinned = 4, pageable = 5 };
CMM_API std::string_view to_string(memory_kind k) noexcept; // "managed memory", "pinned host memory", ...

// Who may touch new managed memory first: CU_MEM_ATTACH_*.
enum class attach : std::uint32_t { global = 1, host = 2, single = 4 };

} // namespace cmm

export namespace cmm::driver {

// The driver's result of a call. Only those that cmm acts on have a name.
enum class result : std::int32_t {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    not_initialized = 3,
    deinitialized = 4,
    invalid_device = 101,
    invalid_context = 201,
    not_ready = 600,
    not_supported = 801,
    capture_unsupported = 900,
    capture_invalidated = 901,
    capture_implicit = 906,
};
constexpr bool ok(result r) noexcept { return r == result::success; }

// Opaque handles of the driver.
using context_handle = void*;
using stream_handle = void*;
using event_handle = void*;
inline const stream_handle legacy_stream = nullptr;
inline const stream_handle legacy_stream_named = reinterpret_cast<stream_handle>(1);
inline const stream_handle per_thread_stream = reinterpret_cast<stream_handle>(2);

struct simulated {
    std::string config; // key=value pairs as cmm/sim.h says; empty: the environment and the defaults
};
struct options {
    std::string library = {}; // a path or a soname; empty: CMM_DRIVER, else libcuda.so.1; "sim": the simulated one
    int api_level = 0;        // ceiling such as 12080; 0: CMM_API_LEVEL, else none
};

struct device_facts {
    std::string name;
    bool concurrent_managed_access;
    bool pageable_memory_access;
    bool managed_memory;
    bool integrated;
    int host_numa_id; // -1: not known
};

// One look-up of an entry point, for doctor.
struct lookup {
    std::string_view name;
    int version;
    bool found;
    std::string_view why; // "found", "above the API level", "not in this driver"
};

struct facts {
    std::string library; // what was opened
    int version;         // cuDriverGetVersion
    int level;           // the smaller of version and ceiling
    bool simulated;
    int numa_nodes; // host NUMA nodes of the machine
    std::vector<int> numa_ids; // theirs, in order; empty where the system does not tell
    std::uint64_t generation; // grows with each open
    std::vector<device_facts> devices;
    std::vector<lookup> lookups;
};

// What this driver hands out, whatever its version says: the gate is the pointer.
struct features {
    bool locations;              // advise and prefetch take host NUMA locations
    bool prefetch_batch;
    bool discard_batch;
    bool discard_prefetch_batch;
    bool copy_batch;
};

} // namespace cmm::driver
