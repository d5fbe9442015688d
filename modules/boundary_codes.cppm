// SPDX-License-Identifier: Apache-2.0
// Values as they cross a language border.
module;
#include <cstdint>
export module cmm.boundary:codes;
import cmm.handles;

export namespace cmm::boundary {

// Kind 0 is none; else a location_kind. `id` counts for device and host_numa only.
struct location_code {
    std::int32_t kind = 0;
    std::int32_t id = 0;
};
// A buffer by its handle, or (handle 0) a plain range.
struct target_code {
    handle buffer = 0;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
};
// A stream of cmm by its handle, or (own 0) a foreign CUstream by its number: 0 and 1 are the legacy stream, 2
// is the per-thread one.
struct stream_code {
    handle own = 0;
    std::uint64_t raw = 0;
};
struct copy_options_code {
    std::int32_t src_access_order = 1;
    location_code src_location_hint = {};
    location_code dst_location_hint = {};
    std::int32_t overlap_mode = 0;
};
// strategy: cmm::strategy; hints: 0 for the default, else cmm::hint_policy.
struct options_code {
    std::int32_t strategy = 0;
    std::int32_t hints = 0;
};

} // namespace cmm::boundary
