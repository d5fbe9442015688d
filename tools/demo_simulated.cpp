// SPDX-License-Identifier: Apache-2.0
// What the kernels compute, written a second time for the simulated driver, which has none: no line
// of it is zlib's, so that comparing the two means something.
#include "demo_digest.hpp"
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
// Imports.
#include "demo_device.hpp"

namespace cmm::tool {

namespace {

constexpr std::uint32_t polynomial = 0xedb88320; // CRC-32, bits reflected

constexpr std::uint32_t times_x(std::uint32_t p) { return p >> 1 ^ (p & 1 ? polynomial : 0); }

// tables[k][b]: the remainder of byte b with k bytes of zeros behind it.
constexpr std::size_t at_once = 8;
using remainders = std::array<std::array<std::uint32_t, 256>, at_once>;
constexpr remainders tables = [] {
    remainders t{};
    for (std::uint32_t b = 0; b < 256; ++b) {
        t[0][b] = b;
        for (int bit = 0; bit < 8; ++bit)
            t[0][b] = times_x(t[0][b]);
    }
    for (std::size_t k = 1; k < at_once; ++k)
        for (std::size_t b = 0; b < 256; ++b)
            t[k][b] = t[k - 1][b] >> 8 ^ t[0][t[k - 1][b] & 255];
    return t;
}();

std::uint32_t crc_of(std::span<const std::byte> bytes) {
    std::uint32_t crc = ~0U;
    for (; bytes.size() >= at_once; bytes = bytes.subspan(at_once)) {
        std::uint32_t next = 0;
        for (std::size_t k = 0; k < at_once; ++k) {
            const auto mixed =
                static_cast<std::uint32_t>(bytes[k]) ^ (k < 4 ? crc >> 8 * k & 255 : 0);
            next ^= tables[at_once - 1 - k][mixed];
        }
        crc = next;
    }
    for (const auto b : bytes)
        crc = crc >> 8 ^ tables[0][(crc ^ static_cast<std::uint32_t>(b)) & 255];
    return ~crc;
}

constexpr std::uint32_t times(std::uint32_t a, std::uint32_t b) {
    std::uint32_t product = 0;
    for (std::uint32_t bit = 1U << 31; bit; bit >>= 1) {
        product ^= a & bit ? b : 0;
        b = times_x(b);
    }
    return product;
}

constexpr std::uint32_t x_to_bits_of(std::size_t bytes) {
    std::uint32_t power = 1U << 31;
    for (std::size_t i = 0; i < 8 * bytes; ++i)
        power = times_x(power);
    return power;
}

void run(const device_work& work) {
    const std::span all(work.data, work.bytes);
    auto* result = reinterpret_cast<digest*>(work.result);
    for (const auto b : all)
        ++result->counts[static_cast<std::size_t>(b)];
    constexpr auto whole = x_to_bits_of(chunk_bytes);
    std::uint32_t crc = 0;
    for (std::size_t i = 0, at = 0; at < all.size(); ++i, at += chunk_bytes) {
        const auto chunk = all.subspan(at, std::min<std::size_t>(chunk_bytes, all.size() - at));
        work.scratch[i] = crc_of(chunk);
        const auto behind = chunk.size() == chunk_bytes ? whole : x_to_bits_of(chunk.size());
        crc = times(crc, behind) ^ work.scratch[i];
    }
    result->crc = crc;
}

class simulated_kernels final : public device_side {
public:
    void digest(const device_work& work, const stream& s) override {
        queued_.push_back(work);
        const auto call = [](void* user) { run(*static_cast<const device_work*>(user)); };
        driver::check(driver::host_function(s.handle(), call, &queued_.back()), {"demo", {}},
                      "cuLaunchHostFunc");
    }
    void done() noexcept override { queued_.clear(); }

private:
    std::deque<device_work> queued_; // at one address each until they are done
};

} // namespace

std::unique_ptr<device_side> make_simulated_kernels() {
    return std::make_unique<simulated_kernels>();
}

} // namespace cmm::tool
