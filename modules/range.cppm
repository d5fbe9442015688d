// SPDX-License-Identifier: Apache-2.0
// Ranges: an address and a number of bytes, and what pages they touch.
module;
#include <cmm/export.h>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
export module cmm.range;
import cmm.error;

export namespace cmm {

namespace detail {
[[noreturn]] CMM_API void refuse_wrapping_range(std::uintptr_t address, std::size_t bytes);
}

// `bytes` bytes from `address`. A range never wraps round the end of the address space.
class range {
public:
    constexpr range() = default;
    constexpr range(std::uintptr_t address, std::size_t bytes) : begin_(address), bytes_(bytes) {
        if (bytes > UINTPTR_MAX - address)
            detail::refuse_wrapping_range(address, bytes);
    }
    inline range(const void* address, std::size_t bytes)
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
    friend constexpr auto operator<=>(const range&, const range&) = default;

private:
    std::uintptr_t begin_ = 0;
    std::size_t bytes_ = 0;
};

// A power of two, and the two roundings to it. Rounding up stops at the end of the address space.
class page_size {
public:
    explicit constexpr page_size(std::size_t bytes) : mask_(bytes - 1) {}
    // The system's page size, asked once.
    CMM_API static page_size of_system() noexcept;

    constexpr std::size_t bytes() const noexcept { return mask_ + 1; }
    constexpr std::uintptr_t down(std::uintptr_t address) const noexcept { return address & ~mask_; }
    constexpr std::uintptr_t up(std::uintptr_t address) const noexcept {
        return address > UINTPTR_MAX - mask_ ? ~mask_ : (address + mask_) & ~mask_;
    }

private:
    std::uintptr_t mask_;
};

// The pages that a range touches, as one range; nothing for an empty one.
constexpr range pages_of(const range& r, page_size page) noexcept {
    if (r.empty())
        return {};
    return {page.down(r.begin()), page.up(r.end()) - page.down(r.begin())};
}

} // namespace cmm
