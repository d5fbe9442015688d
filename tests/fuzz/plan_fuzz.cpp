// SPDX-License-Identifier: Apache-2.0
// Any bytes are a list of ranges or of copies; the planner must say of it what looking at every
// pair says. The first byte chooses; then a few bytes make an element.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fuzzer/FuzzedDataProvider.h>
#include <string>

#include "support/plan_model.hpp"

using namespace cmm;
using namespace cmm::test;

namespace {

constexpr std::uintptr_t base = 0x7f0000000000;
constexpr page_size page{64}; // small, so that two bytes reach over many pages
constexpr std::size_t most_elements = 48;

// Allocations are eight pages of address space each, so that no two overlap.
constexpr std::size_t allocation_bytes = 8 * 64;

ranges ranges_from(FuzzedDataProvider& bytes) {
    ranges out;
    while (bytes.remaining_bytes() > 0 && out.size() < most_elements) {
        const auto allocation = bytes.ConsumeIntegralInRange<std::uintptr_t>(0, 5);
        const auto offset = bytes.ConsumeIntegralInRange<std::size_t>(0, allocation_bytes - 1);
        const auto size = bytes.ConsumeIntegralInRange<std::size_t>(1, allocation_bytes - offset);
        const auto where = bytes.ConsumeIntegralInRange<int>(0, 15);
        out.push_back({base + allocation * allocation_bytes + offset, size,
                       allocation < 2 ? plan::by_address : allocation,
                       where == 0   ? location(host{})
                       : where == 1 ? location(device{1})
                                    : location(device{0}),
                       static_cast<std::uint32_t>(out.size())});
    }
    return out;
}

copies copies_from(FuzzedDataProvider& bytes) {
    copies out;
    while (bytes.remaining_bytes() > 0 && out.size() < most_elements) {
        const auto dst = bytes.ConsumeIntegral<std::uint16_t>();
        const auto src = bytes.ConsumeIntegral<std::uint16_t>();
        const auto size = bytes.ConsumeIntegralInRange<std::size_t>(1, 256);
        const auto kinds = bytes.ConsumeIntegral<std::uint8_t>();
        out.push_back({base + dst, base + src, size, kinds & 1U, kinds >> 1 & 1U, kinds >> 2 & 1U,
                       static_cast<std::uint8_t>(kinds >> 3 & 1U),
                       static_cast<std::uint8_t>(kinds >> 4 & 1U),
                       static_cast<std::uint32_t>(out.size())});
    }
    return out;
}

std::string fault_of(FuzzedDataProvider& bytes) {
    static plan::range_planner range_planner; // kept, as a thread keeps its own
    static plan::copy_planner copy_planner;
    const auto what = bytes.ConsumeIntegralInRange<int>(0, 4);
    if (what < 3)
        return fault_of_plan(range_planner, ranges_from(bytes), static_cast<merging>(what), page);
    return fault_of_plan(copy_planner, copies_from(bytes), what == 3);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider bytes(data, size);
    const auto fault = fault_of(bytes);
    if (fault.empty())
        return 0;
    std::fprintf(stderr, "%s\n", fault.c_str());
    std::abort();
}
