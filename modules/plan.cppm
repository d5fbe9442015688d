// SPDX-License-Identifier: Apache-2.0
// Planning: from what the caller listed to the runs that are worth a driver call. Pure: no driver, no
// clock, no CUDA type. A planner is scratch that one thread reuses: once it has grown, it allocates
// nothing.
module;
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>
export module cmm.plan;
import cmm.error;
import cmm.location;
import cmm.range;

export namespace cmm::plan {

// Which ranges of one area (an allocation) and one destination become one run.
enum class merging : std::uint8_t {
    none,  // every element stays a run of its own; the order is still by address
    pages, // those that touch or overlap once rounded out to pages: prefetches and advice
    bytes, // those that touch or overlap byte for byte: discards
};

// What an element's bytes stand in. Ranges of different areas never merge.
using area = std::uintptr_t;
// Pageable memory of the host has no allocation to end at: it merges by address alone.
inline constexpr area by_address = 0;

// One target. `bytes` is not zero: the caller skips empty ones, and passes its own index.
struct element {
    std::uintptr_t address;
    std::size_t bytes;
    area of;
    location where;
    std::uint32_t index;
};

// One range for the driver. `first` is the smallest caller's index in it.
struct run {
    std::uintptr_t address;
    std::size_t bytes;
    location where;
    std::uint32_t first;
    std::uint32_t count; // elements in it
};

class CMM_API range_planner {
public:
    // Forgets the elements; keeps the memory.
    inline void clear() noexcept { elements_.clear(); }
    inline void add(const element& e) { elements_.push_back(e); }
    inline std::span<const element> elements() const noexcept { return elements_; }

    // The runs, by address; valid until the next call. The same set of elements in any order gives the
    // same runs (but for nothing: `first` and `count` too).
    // Throws invalid_argument with both indices (the smaller as index()) where two elements overlap
    // (with merging::pages and none: share a page) and have different destinations.
    std::span<const run> plan(std::string_view operation, merging rule, page_size page);

private:
    std::vector<element> elements_;
    std::vector<run> runs_;
};

// One copy. `options` is an id: copies with different ids never merge. Kinds likewise.
struct copy_element {
    std::uintptr_t dst;
    std::uintptr_t src;
    std::size_t bytes;
    area dst_of;
    area src_of;
    std::uint32_t options;
    std::uint8_t dst_kind;
    std::uint8_t src_kind;
    std::uint32_t index;
};

struct copy_run {
    std::uintptr_t dst;
    std::uintptr_t src;
    std::size_t bytes;
    std::uint32_t options;
    std::uint32_t first;
    std::uint32_t count;
};

class CMM_API copy_planner {
public:
    inline void clear() noexcept { elements_.clear(); }
    inline void add(const copy_element& e) { elements_.push_back(e); }
    inline std::span<const copy_element> elements() const noexcept { return elements_; }

    // The runs: by options id first (so that equal options are neighbours), then by destination; valid
    // until the next call. `merge` false: every copy stays a run of its own, in that order.
    // A copy of a range onto itself, exactly, is left out. Throws invalid_argument with both indices
    // where two destinations overlap, or one copy reads what another writes, or a copy's own source and
    // destination overlap without being the same.
    std::span<const copy_run> plan(std::string_view operation, bool merge);

private:
    std::vector<copy_element> elements_;
    std::vector<copy_run> runs_;
    std::vector<std::uint32_t> by_source_;
};

} // namespace cmm::plan
