// SPDX-License-Identifier: Apache-2.0
#include "demo_digest.hpp"
#include <algorithm>
#include <utility>
#include <zlib.h>

namespace cmm::tool {

void add(digest& d, std::span<const std::byte> bytes) {
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    d.crc = static_cast<std::uint32_t>(crc32_z(d.crc, data, bytes.size()));
    for (const auto b : bytes)
        ++d.counts[static_cast<std::size_t>(b)];
}

void append(digest& d, const digest& next, std::uint64_t bytes) {
    d.crc = static_cast<std::uint32_t>(crc32_combine(d.crc, next.crc, static_cast<z_off_t>(bytes)));
    for (std::size_t i = 0; i < d.counts.size(); ++i)
        d.counts[i] += next.counts[i];
}

std::pair<std::size_t, std::uint64_t> commonest(const digest& d) {
    const auto most = std::ranges::max_element(d.counts);
    return {static_cast<std::size_t>(most - d.counts.begin()), *most};
}

} // namespace cmm::tool
