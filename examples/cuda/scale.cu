// SPDX-License-Identifier: Apache-2.0
// CUDA C++: memory of cudaMallocManaged and a stream of the runtime go through cmm as they are.
//     nvcc -std=c++17 scale.cu -lcmm -o scale && ./scale
#include <cmm/cmm.hpp>
#include <cstddef>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

namespace {

constexpr std::size_t pieces = 16;
constexpr std::size_t count = 4096; // floats in a piece

__global__ void scale(float* numbers, const float* factor, std::size_t n) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i < n)
        numbers[i] *= *factor;
}

bool ok(cudaError_t e, const char* what) {
    if (e != cudaSuccess)
        std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
    return e == cudaSuccess;
}

struct memory {
    float* in = nullptr;
    float* out = nullptr;
    float* factor = nullptr;
    cudaStream_t stream = nullptr;
    bool make() {
        return ok(cudaMallocManaged(&in, pieces * count * sizeof(float)), "cudaMallocManaged") &&
               ok(cudaMallocManaged(&out, pieces * count * sizeof(float)), "cudaMallocManaged") &&
               ok(cudaMallocManaged(&factor, sizeof(float)), "cudaMallocManaged") &&
               ok(cudaStreamCreate(&stream), "cudaStreamCreate");
    }
    ~memory() {
        cudaStreamDestroy(stream);
        for (float* p : {in, out, factor})
            cudaFree(p);
    }
};

// Every piece is a range of its own; cmm finds that they are neighbours.
bool run(const memory& m) {
    for (std::size_t i = 0; i < pieces * count; ++i)
        m.in[i] = static_cast<float>(i % 1000);
    *m.factor = 3;
    std::vector<cmm::target> in;
    std::vector<cmm::target> out;
    for (std::size_t p = 0; p < pieces; ++p) {
        in.emplace_back(m.in + p * count, count * sizeof(float));
        out.emplace_back(m.out + p * count, count * sizeof(float));
    }
    const cmm::range factor(m.factor, sizeof(float));

    cmm::advise(factor, cmm::advice::set_read_mostly);
    const auto moved = cmm::prefetch(in, cmm::device{0}, m.stream);
    cmm::prefetch(out, cmm::device{0}, m.stream);
    const auto copied = cmm::copy_batch(m.stream, in, out);
    scale<<<static_cast<unsigned>(pieces * count / 256), 256, 0, m.stream>>>(m.out, m.factor,
                                                                             pieces * count);
    if (!ok(cudaGetLastError(), "scale"))
        return false;
    cmm::prefetch(out, cmm::host{}, m.stream);
    if (!ok(cudaStreamSynchronize(m.stream), "cudaStreamSynchronize"))
        return false;
    std::printf("%zu ranges went as %zu, %zu copies as %zu\n", moved.ranges_in, moved.ranges_out,
                copied.ranges_in, copied.ranges_out);
    for (std::size_t i = 0; i < pieces * count; ++i)
        if (m.out[i] != static_cast<float>(i % 1000) * 3)
            return false;
    return true;
}

} // namespace

int main() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::puts("no GPU that this program can use");
        return 77;
    }
    memory m;
    if (!m.make())
        return 1;
    try {
        const bool good = run(m);
        std::puts(good ? "all numbers are right" : "failed");
        return good ? 0 : 1;
    } catch (const cmm::error& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
