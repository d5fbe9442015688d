// SPDX-License-Identifier: Apache-2.0
// What is computed over a file, on the device and, by zlib, on the host: how often each byte
// occurs, and the CRC-32.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace cmm::tool {

// As the kernels write it.
struct digest {
    std::array<std::uint64_t, 256> counts{};
    std::uint32_t crc = 0;
    std::uint32_t unused = 0;
    friend bool operator==(const digest&, const digest&) = default;
};
static_assert(sizeof(digest) == 2056);
inline constexpr std::size_t crc_offset = offsetof(digest, crc);

// Takes in the bytes that follow those before.
void add(digest& d, std::span<const std::byte> bytes);
// Takes in the digest of the `bytes` bytes that follow.
void append(digest& d, const digest& next, std::uint64_t bytes);
// The byte that occurs most, and how often.
std::pair<std::size_t, std::uint64_t> commonest(const digest& d);

} // namespace cmm::tool
