// SPDX-License-Identifier: Apache-2.0
// A row of numbers that knows its largest and finds the first that is large enough.
module;
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>
module cmm.slabs:tree;

namespace cmm {

// Level 0 holds the numbers; each number above is the largest of the eight below it, up to
// a level of one. A change climbs only as far as it changes the largest.
class max_tree {
public:
    explicit max_tree(std::size_t numbers) {
        std::size_t size = 0;
        for (std::size_t n = std::max<std::size_t>(numbers, 1);; n = blocks(n)) {
            starts_[height_++] = size;
            size += blocks(n) * fan;
            if (n == 1)
                break;
        }
        values_.resize(size);
    }

    inline std::int32_t at(std::size_t i) const noexcept { return values_[i]; }
    inline std::int32_t largest() const noexcept { return values_[starts_[height_ - 1]]; }

    inline void set(std::size_t i, std::int32_t value) noexcept {
        for (std::size_t level = 0;; ++level) {
            const auto old = std::exchange(values_[starts_[level] + i], value);
            if (level + 1 == height_)
                return;
            const auto above = values_[starts_[level + 1] + i / fan];
            if (value < above && old == above)
                value = std::max(value, largest_beside(&values_[starts_[level]], i));
            if (value == above || (value < above && old != above))
                return;
            i /= fan;
        }
    }

    // The index of the first number of at least `wanted`; there is one when largest() is.
    inline std::size_t first_of(std::int32_t wanted) const noexcept {
        std::size_t i = 0;
        for (std::size_t level = height_ - 1; level-- > 0;)
            i = i * fan + first_in(&values_[starts_[level] + i * fan], wanted);
        return i;
    }

private:
    static constexpr std::size_t fan = 8;
    static constexpr std::size_t blocks(std::size_t n) noexcept { return (n + fan - 1) / fan; }

    // Of the seven beside one of eight. That one was just written: a wide load over it would stall,
    // so the others are read one by one.
    static inline std::int32_t largest_beside(const std::int32_t* eight, std::size_t i) noexcept {
        const auto at = [&](std::size_t k) { return eight[i ^ k]; };
        return std::max(std::max(std::max(at(1), at(2)), std::max(at(3), at(4))),
                        std::max(std::max(at(5), at(6)), at(7)));
    }
    // Without a branch: which of the eight it is cannot be predicted.
    static inline std::size_t first_in(const std::int32_t* eight, std::int32_t wanted) noexcept {
        unsigned hits = 0;
        for (std::size_t k = 0; k < fan; ++k)
            hits |= static_cast<unsigned>(eight[k] >= wanted) << k;
        return static_cast<std::size_t>(std::countr_zero(hits));
    }

    std::array<std::size_t, 23> starts_{};
    std::size_t height_ = 0;
    std::vector<std::int32_t> values_;
};

} // namespace cmm
