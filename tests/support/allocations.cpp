// SPDX-License-Identifier: Apache-2.0
#include "support/allocations.hpp"
#include <cstdlib>
#include <new>

namespace {

thread_local std::size_t count = 0;

void* allocated(std::size_t bytes, std::size_t alignment) {
    ++count;
    void* p = nullptr;
    if (alignment <= alignof(std::max_align_t))
        p = std::malloc(bytes ? bytes : 1);
    else if (posix_memalign(&p, alignment, bytes ? bytes : 1) != 0)
        p = nullptr;
    if (!p)
        throw std::bad_alloc();
    return p;
}

} // namespace

namespace cmm::test {

std::size_t allocations() noexcept { return count; }

} // namespace cmm::test

// The other forms of new and delete end in these.
void* operator new(std::size_t bytes) { return allocated(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return allocated(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
