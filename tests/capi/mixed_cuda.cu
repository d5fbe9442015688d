// SPDX-License-Identifier: Apache-2.0
#include "mixed_headers.hpp"

namespace {
__global__ void touch(unsigned char* bytes) { bytes[threadIdx.x] += 1; }
} // namespace

// The kernel is for the compiler and the linker: the simulated driver runs none.
const void* kernel_of_mixed_cuda() { return reinterpret_cast<const void*>(&touch); }

seen look_with_cuda(const shared_memory& m) { return look(m, cmm::device{0}); }
