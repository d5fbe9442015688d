// SPDX-License-Identifier: Apache-2.0
// The kernels of digest.ptx, loaded and launched through the driver's own entry points.
#include "demo_digest.hpp"
#include "digest_ptx.hpp"
#include <cstddef>
#include <cstdint>
#include <memory>
// Imports.
#include "demo_device.hpp"

namespace cmm::tool {

namespace {

using handle = void*;
using load_data = int (*)(handle* module, const void* image);
using get_function = int (*)(handle* function, handle module, const char* name);
using unload = int (*)(handle module);
using launch_kernel = int (*)(handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                              unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                              handle stream, void** parameters, void** extra);

constexpr unsigned threads = 256; // digest.ptx counts on it
constexpr error_site site{"demo", {}};

// Throws not_supported where the driver lacks it.
template <class Function> Function entry(const char* name, int version) {
    void* address = driver::symbol(name, version);
    if (!address)
        throw not_supported(site, std::string("the driver has no ") + name);
    return reinterpret_cast<Function>(address);
}

void check(int result, const char* name) {
    driver::check(static_cast<driver::result>(result), site, name);
}

// A launch takes the addresses of its arguments, pointers among them.
template <class Value> void* as_parameter(Value& value) { return static_cast<void*>(&value); }

class kernels final : public device_side {
public:
    kernels() {
        check(load_(&module_, digest_ptx), "cuModuleLoadData");
        check(function_(&scan_, module_, "scan"), "cuModuleGetFunction");
        check(function_(&combine_, module_, "combine"), "cuModuleGetFunction");
    }
    ~kernels() override { unload_(module_); }

    void digest(const device_work& work, const stream& s) override {
        if (work.bytes == 0)
            return;
        auto data = work.data;
        std::uint64_t bytes = work.bytes;
        std::uint32_t chunk = chunk_bytes;
        auto crcs = work.scratch;
        auto counts = work.result;
        auto crc = work.result + crc_offset;
        void* scanned[] = {as_parameter(data), as_parameter(bytes), as_parameter(chunk),
                           as_parameter(crcs), as_parameter(counts)};
        void* combined[] = {as_parameter(crcs), as_parameter(bytes), as_parameter(chunk),
                            as_parameter(crc)};
        launch(scan_, work.bytes, s, scanned);
        launch(combine_, work.bytes, s, combined);
    }

private:
    void launch(handle function, std::size_t bytes, const stream& s, void** parameters) const {
        const auto blocks = static_cast<unsigned>((chunks_of(bytes) + threads - 1) / threads);
        check(launch_(function, blocks, 1, 1, threads, 1, 1, 0, s.handle(), parameters, nullptr),
              "cuLaunchKernel");
    }

    load_data load_ = entry<load_data>("cuModuleLoadData", 2000);
    get_function function_ = entry<get_function>("cuModuleGetFunction", 2000);
    unload unload_ = entry<unload>("cuModuleUnload", 2000);
    launch_kernel launch_ = entry<launch_kernel>("cuLaunchKernel", 4000);
    handle module_ = nullptr;
    handle scan_ = nullptr;
    handle combine_ = nullptr;
};

} // namespace

std::unique_ptr<device_side> make_kernels() { return std::make_unique<kernels>(); }

} // namespace cmm::tool
