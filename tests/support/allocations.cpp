// SPDX-License-Identifier: Apache-2.0
#include "support/allocations.hpp"
#include <cstdlib>
#include <new>

static thread_local std::size_t count = 0;

namespace cmm::test {

std::size_t allocations() noexcept { return count; }

} // namespace cmm::test

#if defined(__has_feature) && (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))

// A sanitizer has its own operator new, and tells of every allocation, those of malloc too.
extern "C" void __sanitizer_malloc_hook(const volatile void*, std::size_t) { ++count; }
extern "C" void __sanitizer_free_hook(const volatile void*) {}

#else

namespace {

void* allocated_or_null(std::size_t bytes, std::size_t alignment) noexcept {
    ++count;
    if (alignment <= alignof(std::max_align_t))
        return std::malloc(bytes ? bytes : 1);
    void* p = nullptr;
    return posix_memalign(&p, alignment, bytes ? bytes : 1) == 0 ? p : nullptr;
}

void* allocated(std::size_t bytes, std::size_t alignment) {
    if (void* p = allocated_or_null(bytes, alignment))
        return p;
    throw std::bad_alloc();
}

} // namespace

using std::align_val_t;
using std::nothrow_t;
using std::size_t;

void* operator new(size_t n) { return allocated(n, 1); }
void* operator new[](size_t n) { return allocated(n, 1); }
void* operator new(size_t n, align_val_t a) { return allocated(n, static_cast<size_t>(a)); }
void* operator new[](size_t n, align_val_t a) { return allocated(n, static_cast<size_t>(a)); }
void* operator new(size_t n, const nothrow_t&) noexcept { return allocated_or_null(n, 1); }
void* operator new[](size_t n, const nothrow_t&) noexcept { return allocated_or_null(n, 1); }
void* operator new(size_t n, align_val_t a, const nothrow_t&) noexcept {
    return allocated_or_null(n, static_cast<size_t>(a));
}
void* operator new[](size_t n, align_val_t a, const nothrow_t&) noexcept {
    return allocated_or_null(n, static_cast<size_t>(a));
}

void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t, align_val_t) noexcept { std::free(p); }
void operator delete(void* p, const nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, align_val_t, const nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, align_val_t, const nothrow_t&) noexcept { std::free(p); }

#endif
