// SPDX-License-Identifier: Apache-2.0
// Planning: from what the caller listed to the runs that are worth a driver call. Pure: no driver,
// no clock, no CUDA type. A planner is scratch that one thread reuses: once it has grown, it
// allocates nothing.
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

namespace cmm::plan::detail {

// What is sorted instead of the elements themselves: an address, and then the caller's index, so
// that elements added in any order come out in one. `tie` is the index above the position in the
// elements.
struct key {
    std::uintptr_t address;
    std::uint64_t tie;

    static constexpr key of(std::uintptr_t address, std::uint32_t index,
                            std::size_t position) noexcept {
        return {address, std::uint64_t{index} << 32U | position};
    }
    constexpr std::size_t position() const noexcept { return static_cast<std::uint32_t>(tie); }
};

// Keys that are in order already cost one look each.
void sort(std::span<key> keys);

// The first `count` places of `scratch`, which only ever grows.
template <class T> std::span<T> room(std::vector<T>& scratch, std::size_t count, const T& filler) {
    if (scratch.size() < count)
        scratch.resize(count, filler);
    return {scratch.data(), count};
}

} // namespace cmm::plan::detail

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

// One target. `bytes` is not zero: the caller skips empty ones, and passes its own index. The bytes
// are those of a cmm::range: they do not wrap.
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

    // The runs, by address; valid until the next call. The same elements added in any order give
    // the same runs. A run begins and ends where its outermost elements do, also with
    // merging::pages. Throws invalid_argument with both indices (the smaller as index()) where two
    // elements overlap (with merging::pages and none: share a page) and have different
    // destinations, whatever areas they are in.
    std::span<const run> plan(std::string_view operation, merging rule, page_size page);

private:
    std::vector<element> elements_;
    std::vector<detail::key> order_;
    std::vector<run> runs_;
};

// One copy. `options` is an id: copies with different ids never merge. Kinds likewise. `bytes` is
// not zero, and neither side wraps.
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

    // The runs: by options id first (so that equal options are neighbours), then by destination;
    // valid until the next call. `merge` false: every copy stays a run of its own, in that order.
    // A copy of a range onto itself, exactly, is left out before anything is checked. Throws
    // invalid_argument, with both indices, where two destinations overlap (argument "dsts", the
    // smaller as index()) or where one copy reads what another writes (argument "srcs", the reader
    // as index()); with one index where a copy's own source and destination overlap without being
    // the same ("srcs").
    std::span<const copy_run> plan(std::string_view operation, bool merge);

private:
    std::span<const copy_run> join(std::string_view operation, std::span<const detail::key> order,
                                   bool merge);
    void refuse_chains(std::string_view operation, std::span<const detail::key> order);

    std::vector<copy_element> elements_;
    std::vector<detail::key> by_destination_;
    std::vector<detail::key> by_source_;
    std::vector<copy_run> runs_;
};

} // namespace cmm::plan
