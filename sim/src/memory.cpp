// SPDX-License-Identifier: Apache-2.0
#include "memory.h"

#include "explain.h"

#include <limits>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

namespace sim {
namespace {

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

std::byte* map_pages(std::size_t bytes, int protection) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (protection == PROT_NONE ? MAP_NORESERVE : 0);
    void* got = mmap(nullptr, bytes, protection, flags, -1, 0);
    if (got == MAP_FAILED)
        throw std::bad_alloc();
    return static_cast<std::byte*>(got);
}

// Maps more than asked for and cuts off what lies before and behind the aligned part.
std::byte* map_aligned(std::size_t bytes, std::size_t alignment, int protection) {
    std::byte* whole = map_pages(bytes + alignment, protection);
    const std::size_t before = rounded_up(reinterpret_cast<std::uintptr_t>(whole), alignment) -
                               reinterpret_cast<std::uintptr_t>(whole);
    if (before != 0)
        munmap(whole, before);
    if (before != alignment)
        munmap(whole + before + bytes, alignment - before);
    return whole + before;
}

constexpr std::size_t most_bytes = std::numeric_limits<std::size_t>::max() / 4;

} // namespace

block::block(memory_kind kind, std::size_t bytes, std::size_t alignment)
    : kind(kind), bytes(bytes) {
    if (bytes > most_bytes)
        throw std::bad_alloc();
    mapped_ = rounded_up(bytes, alignment);
    // The client gets a view of device memory that faults; the workers use the other mapping.
    const bool apart = kind == memory_kind::device;
    std::byte* view = map_aligned(mapped_, alignment, apart ? PROT_NONE : PROT_READ | PROT_WRITE);
    address = reinterpret_cast<device_ptr>(view);
    storage = view;
    if (!apart)
        return;
    try {
        storage = map_pages(mapped_, PROT_READ | PROT_WRITE);
    } catch (...) {
        munmap(view, mapped_);
        throw;
    }
    explain::add(address, mapped_);
}

block::block(void* host, std::size_t bytes)
    : kind(memory_kind::registered), address(reinterpret_cast<device_ptr>(host)), bytes(bytes),
      storage(static_cast<std::byte*>(host)) {}

block::~block() {
    if (mapped_ == 0)
        return;
    if (kind == memory_kind::device) {
        explain::remove(address);
        munmap(storage, mapped_);
    }
    munmap(reinterpret_cast<void*>(address), mapped_);
}

block_ref memory_map::remove(device_ptr base) {
    const auto found = blocks_.find(base);
    if (found == blocks_.end())
        return nullptr;
    block_ref removed = std::move(found->second);
    blocks_.erase(found);
    removed->freed = true;
    return removed;
}

block_ref memory_map::share(device_ptr address) const {
    auto after = blocks_.upper_bound(address);
    if (after == blocks_.begin())
        return nullptr;
    const block_ref& before = std::prev(after)->second;
    return address < before->end() ? before : nullptr;
}

block* memory_map::find(device_ptr address) const {
    const auto after = blocks_.upper_bound(address);
    if (after == blocks_.begin())
        return nullptr;
    block* before = std::prev(after)->second.get();
    return address < before->end() ? before : nullptr;
}

bool memory_map::overlaps(device_ptr address, std::size_t bytes) const {
    const auto next = blocks_.lower_bound(address);
    return find(address) != nullptr || (next != blocks_.end() && next->first - address < bytes);
}

memory_map::totals memory_map::all_of(memory_kind kind) const {
    totals sum;
    for (const auto& [base, held] : blocks_) {
        if (held->kind != kind)
            continue;
        ++sum.count;
        sum.bytes += held->bytes;
    }
    return sum;
}

std::uint64_t memory_map::device_bytes(int device) const {
    std::uint64_t sum = 0;
    for (const auto& [base, held] : blocks_)
        if (held->kind == memory_kind::device && held->device == device)
            sum += held->bytes;
    return sum;
}

} // namespace sim
