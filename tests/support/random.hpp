// SPDX-License-Identifier: Apache-2.0
// Numbers that are the same on every machine and in every run (SplitMix64).
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cmm::test {

class dice {
public:
    explicit dice(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31U);
    }
    std::uint64_t below(std::uint64_t end) { return next() % end; }
    std::uint64_t between(std::uint64_t first, std::uint64_t last) {
        return first + below(last - first + 1);
    }
    template <class T> void shuffle(std::vector<T>& items) {
        for (std::size_t i = items.size(); i > 1; --i)
            std::swap(items[i - 1], items[below(i)]);
    }

private:
    std::uint64_t state_;
};

} // namespace cmm::test
