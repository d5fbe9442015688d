// SPDX-License-Identifier: Apache-2.0
// Weights that devices read and nobody writes: one buffer, one piece of advice, one prefetch.
#include <cstdio>
#include <optional>
#include <string>

import cmm;

int main() try {
    const cmm::managed_memory_resource memory;
    auto weights = memory.allocate(64 << 20);
    for (float& weight : weights.as_span<float>())
        weight = 0.5F;
    weights.read_mostly(true);

    const cmm::stream stream;
    weights.prefetch(cmm::device{0}, stream);
    // Kernels that go to `stream` from here on find the weights on the device.
    stream.sync();
    const auto where = weights.last_prefetch_location();
    std::printf("64 MiB of weights were prefetched to %s\n", to_string(where.value()).c_str());
    return where == cmm::device{0} ? 0 : 1;
} catch (const cmm::error& e) {
    std::fprintf(stderr, "hello: %s\n", e.what());
    return 1;
}
