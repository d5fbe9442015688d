// SPDX-License-Identifier: Apache-2.0
// Each power of two of bytes has a stretch of address space of its own, so that the allocation that an
// address is in follows from the address.
#include "null.hpp"
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <sys/mman.h>

namespace null_driver {

namespace {

constexpr unsigned smallest = 12; // 4 KiB
constexpr unsigned largest = 34;  // 16 GiB
constexpr unsigned stretch = 36;  // 64 GiB for each power
constexpr std::size_t powers = largest - smallest + 1;

constexpr std::size_t slots_of(unsigned power) noexcept {
    return std::size_t{1} << (stretch - power < 16 ? stretch - power : 16);
}

struct slots {
    std::unique_ptr<std::atomic<std::size_t>[]> bytes; // 0: free
    std::atomic<std::size_t> next{0};
};

struct address_space {
    std::uintptr_t base = 0;
    std::array<slots, powers> of_power;

    address_space() {
        void* at = ::mmap(nullptr, powers << stretch, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        base = at == MAP_FAILED ? 0 : reinterpret_cast<std::uintptr_t>(at);
        for (unsigned power = smallest; power <= largest; ++power)
            of_power[power - smallest].bytes = std::make_unique<std::atomic<std::size_t>[]>(slots_of(power));
    }
};

address_space& all() noexcept {
    static auto* space = new address_space; // programs free late
    return *space;
}

unsigned power_for(std::size_t bytes) noexcept {
    const auto power = static_cast<unsigned>(std::bit_width(bytes - 1));
    return power < smallest ? smallest : power;
}

struct place {
    unsigned power;
    std::size_t slot;
};

// Of an address inside the space.
place place_of(std::uintptr_t offset) noexcept {
    const auto power = smallest + static_cast<unsigned>(offset >> stretch);
    return {power, (offset & ((std::uintptr_t{1} << stretch) - 1)) >> power};
}

bool is_inside(const address_space& space, std::uintptr_t address) noexcept {
    return space.base != 0 && address - space.base < powers << stretch;
}

std::atomic<std::size_t>& bytes_at(address_space& space, const place& p) noexcept {
    return space.of_power[p.power - smallest].bytes[p.slot & (slots_of(p.power) - 1)];
}

} // namespace

std::uintptr_t allocate(std::size_t bytes) noexcept {
    auto& space = all();
    const auto power = bytes ? power_for(bytes) : largest + 1;
    if (space.base == 0 || power > largest)
        return 0;
    auto& s = space.of_power[power - smallest];
    for (std::size_t tries = 0; tries < slots_of(power); ++tries) {
        const auto slot = s.next.fetch_add(1, std::memory_order_relaxed) & (slots_of(power) - 1);
        std::size_t nothing = 0;
        if (s.bytes[slot].compare_exchange_strong(nothing, bytes))
            return space.base + (static_cast<std::uintptr_t>(power - smallest) << stretch) + (slot << power);
    }
    return 0;
}

void free(std::uintptr_t at) noexcept {
    auto& space = all();
    if (is_inside(space, at))
        bytes_at(space, place_of(at - space.base)).store(0);
}

allocation find(std::uintptr_t address) noexcept {
    auto& space = all();
    if (!is_inside(space, address))
        return {0, 0};
    const auto offset = address - space.base;
    const auto p = place_of(offset);
    return {address - (offset & ((std::uintptr_t{1} << p.power) - 1)), bytes_at(space, p).load()};
}

} // namespace null_driver
