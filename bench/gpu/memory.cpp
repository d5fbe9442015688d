// SPDX-License-Identifier: Apache-2.0
module;
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module cmm.bench.memory;
import cmm;
import cmm.bench.raw;

namespace cmm::bench {

namespace {

constexpr std::size_t gib = std::size_t{1} << 30;
constexpr std::size_t most_managed = 2 * gib;
constexpr std::size_t most_at_once = 4 * gib;

std::array<std::size_t, 3> taken{};

std::size_t& taken_of(kind k) noexcept { return taken[static_cast<std::size_t>(k)]; }

// What the system could give out without swapping.
std::size_t free_host_bytes() {
    std::ifstream file("/proc/meminfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("MemAvailable:"))
            return std::stoull(line.substr(13)) * 1024;
    throw std::runtime_error("/proc/meminfo does not say how much memory is available");
}

std::size_t free_bytes(kind k) {
    const auto on_device = memory_info(device{0}).free_bytes;
    switch (k) {
    case kind::managed: return std::min(on_device, free_host_bytes());
    case kind::pinned: return free_host_bytes();
    case kind::device: return on_device;
    }
    return 0;
}

buffer allocate(kind k, std::size_t bytes) {
    switch (k) {
    case kind::managed: return managed_memory_resource().allocate(bytes);
    case kind::pinned: return pinned_memory_resource().allocate(bytes);
    case kind::device: return device_memory_resource().allocate(bytes);
    }
    return {};
}

std::vector<buffer> allocate_each(kind k, std::size_t bytes, std::size_t count) {
    std::vector<buffer> out;
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(allocate(k, bytes));
    return out;
}

std::vector<buffer> allocate_from_arena(std::size_t bytes, std::size_t count) {
    const auto arena = managed_memory_resource::arena({.slab_bytes = bytes * count});
    std::vector<buffer> out;
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(arena.allocate(bytes));
    return out;
}

std::vector<buffer> slices(const buffer& whole, std::size_t bytes, std::size_t count) {
    std::vector<buffer> out;
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(whole.slice(i * bytes, bytes));
    return out;
}

void require_touching(const std::vector<piece>& pieces) {
    for (std::size_t i = 1; i < pieces.size(); ++i)
        if (pieces[i - 1].at + pieces[i - 1].bytes != pieces[i].at)
            throw std::runtime_error("buffers that should be neighbours are not");
}

} // namespace

lease::lease(kind k, std::size_t bytes) : kind_(k), bytes_(bytes) {
    const auto limit = std::min(most_at_once, free_bytes(k) / 8);
    if (bytes > limit)
        throw std::runtime_error(fmt::format(
            "{} bytes are more than the {} that this run may take at once", bytes, limit));
    if (k == kind::managed && bytes > most_managed - taken_of(k))
        throw std::runtime_error(
            fmt::format("{} bytes of managed memory beside {} are more than {} in all", bytes,
                        taken_of(k), most_managed));
    taken_of(k) += bytes;
}

lease::~lease() { taken_of(kind_) -= bytes_; }

lease::lease(lease&& o) noexcept : kind_(o.kind_), bytes_(std::exchange(o.bytes_, 0)) {}

lease& lease::operator=(lease&& o) noexcept {
    std::swap(kind_, o.kind_);
    std::swap(bytes_, o.bytes_);
    return *this;
}

std::size_t bytes_leased() noexcept { return taken[0] + taken[1] + taken[2]; }

std::string_view to_string(placement p) noexcept {
    switch (p) {
    case placement::neighbours: return "neighbours";
    case placement::arena: return "arena";
    case placement::scattered: return "scattered";
    }
    return "";
}

buffer_set::buffer_set(kind k, placement p, std::size_t bytes, std::size_t count)
    : lease_(k, bytes * count), placed_(p) {
    switch (p) {
    case placement::neighbours:
        owners_.push_back(allocate(k, bytes * count));
        buffers_ = slices(owners_.front(), bytes, count);
        break;
    case placement::arena: buffers_ = allocate_from_arena(bytes, count); break;
    case placement::scattered: buffers_ = allocate_each(k, bytes, count); break;
    }
    for (const auto& b : buffers_)
        pieces_.push_back({b.handle(), b.size()});
    if (p != placement::scattered)
        require_touching(pieces_);
    if (k != kind::device)
        fill(1);
}

void buffer_set::fill(unsigned char byte) const {
    for (const auto& p : pieces_)
        std::memset(reinterpret_cast<void*>(p.at), byte, p.bytes);
}

} // namespace cmm::bench
