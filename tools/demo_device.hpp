// SPDX-License-Identifier: Apache-2.0
// The device's part of the demo: kernels on a GPU, host functions in stream order on the simulated
// driver. This header imports, so that it is included last.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

import cmm;

namespace cmm::tool {

// The bytes that one thread of the kernel digests: it has one CRC in the scratch memory.
inline constexpr std::uint32_t chunk_bytes = 1024;
constexpr std::size_t chunks_of(std::size_t bytes) {
    return (bytes + chunk_bytes - 1) / chunk_bytes;
}

// Memory of one piece of a file. The result is a digest, all zeros before.
struct device_work {
    const std::byte* data;
    std::size_t bytes;
    std::uint32_t* scratch; // chunks_of(bytes)
    std::byte* result;
};

class device_side {
public:
    device_side() = default;
    virtual ~device_side() = default;
    device_side(const device_side&) = delete;
    device_side& operator=(const device_side&) = delete;
    // Queues the work in the stream. Throws driver_error.
    virtual void digest(const device_work& work, const stream& s) = 0;
    // All that was queued is done.
    virtual void done() noexcept {}
};

// A driver's kernels; the context of the stream must be current. Throws driver_error.
std::unique_ptr<device_side> make_kernels();
std::unique_ptr<device_side> make_simulated_kernels();

} // namespace cmm::tool
