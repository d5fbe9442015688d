// SPDX-License-Identifier: Apache-2.0
// Counts heap allocations. A program that uses this has operator new replaced, in the library too.
#pragma once
#include <cstddef>

namespace cmm::test {

// How often the calling thread has asked operator new for memory so far.
std::size_t allocations() noexcept;

// How often `body` asks for memory.
template <class Body> std::size_t allocations_of(Body&& body) {
    const auto before = allocations();
    body();
    return allocations() - before;
}

} // namespace cmm::test
