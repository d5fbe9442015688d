// SPDX-License-Identifier: Apache-2.0
// Ranges: an address and a number of bytes.
#ifndef CMM_CPP_RANGE_HPP
#define CMM_CPP_RANGE_HPP

#include <cmm/cpp/error.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

namespace cmm {
inline namespace over_c {

// `bytes` bytes from `address`. A range never wraps round the end of the address space.
class range {
public:
    constexpr range() = default;
    constexpr range(std::uintptr_t address, std::size_t bytes) : begin_(address), bytes_(bytes) {
        if (bytes > UINTPTR_MAX - address)
            refuse(address, bytes);
    }
    range(const void* address, std::size_t bytes)
        : range(reinterpret_cast<std::uintptr_t>(address), bytes) {}

    constexpr std::uintptr_t begin() const noexcept { return begin_; }
    constexpr std::uintptr_t end() const noexcept { return begin_ + bytes_; }
    constexpr std::size_t bytes() const noexcept { return bytes_; }
    constexpr bool empty() const noexcept { return bytes_ == 0; }
    constexpr bool contains(const range& r) const noexcept {
        return r.begin_ >= begin_ && r.end() <= end();
    }
    constexpr bool overlaps(const range& r) const noexcept {
        return begin_ < r.end() && r.begin_ < end() && !empty() && !r.empty();
    }
    friend constexpr bool operator==(const range& a, const range& b) noexcept {
        return a.begin_ == b.begin_ && a.bytes_ == b.bytes_;
    }
    friend constexpr bool operator!=(const range& a, const range& b) noexcept { return !(a == b); }
    friend constexpr bool operator<(const range& a, const range& b) noexcept {
        return a.begin_ != b.begin_ ? a.begin_ < b.begin_ : a.bytes_ < b.bytes_;
    }

private:
    [[noreturn]] static void refuse(std::uintptr_t address, std::size_t bytes) {
        throw invalid_argument("range", "bytes",
                               std::to_string(bytes) + " bytes at " + std::to_string(address) +
                                   " wrap round the end of the address space");
    }
    std::uintptr_t begin_ = 0;
    std::size_t bytes_ = 0;
};

} // namespace over_c
} // namespace cmm

#endif
