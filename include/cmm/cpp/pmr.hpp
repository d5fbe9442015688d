// SPDX-License-Identifier: Apache-2.0
// Managed memory for the standard containers.
#ifndef CMM_CPP_PMR_HPP
#define CMM_CPP_PMR_HPP

#include <cmm/cpp/managed.hpp>
#include <cstddef>
#include <memory_resource>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>

namespace cmm {
inline namespace over_c {

// A std::pmr::memory_resource whose memory is managed: `std::pmr::vector<float> v(n, &resource)`
// can be advised and prefetched as a range. Stands on an arena unless it is given another resource.
// Thread-safe. What is deallocated goes back once work of cmm on it is done; kernels must have
// finished. Throws cmm's errors, and std::bad_alloc for an alignment above a page's 4096 bytes.
class pmr_resource : public std::pmr::memory_resource {
public:
    explicit pmr_resource(managed_memory_resource upstream = managed_memory_resource::arena())
        : upstream_(std::move(upstream)) {}
    const managed_memory_resource& upstream() const noexcept { return upstream_; }

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        if (alignment > 4096)
            throw std::bad_alloc();
        auto b = upstream_.allocate(bytes == 0 ? 1 : bytes);
        void* const address = b.data();
        const std::lock_guard<std::mutex> guard(lock_);
        live_.emplace(address, std::move(b));
        return address;
    }
    void do_deallocate(void* address, std::size_t, std::size_t) override {
        managed_buffer dead;
        const std::lock_guard<std::mutex> guard(lock_);
        const auto found = live_.find(address);
        if (found == live_.end())
            return;
        dead = std::move(found->second);
        live_.erase(found);
    }
    bool do_is_equal(const std::pmr::memory_resource& o) const noexcept override {
        return this == &o;
    }

    managed_memory_resource upstream_;
    std::mutex lock_;
    std::unordered_map<void*, managed_buffer> live_;
};

} // namespace over_c
} // namespace cmm

#endif
