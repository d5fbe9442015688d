// SPDX-License-Identifier: Apache-2.0
// Copies two arrays as one batch, and sees an operation refused by its own kind of error.
#include <array>
#include <cstdio>
#include <vector>
import cmm.ops;
import cmm.copy;

int main() {
    std::vector<int> a(1000, 1), b(2000, 2), to_a(1000), to_b(2000);
    const std::array from{cmm::range(a.data(), 4000), cmm::range(b.data(), 8000)};
    const std::array to{cmm::range(to_a.data(), 4000), cmm::range(to_b.data(), 8000)};
    const cmm::stream stream;
    const auto report = cmm::copy_batch(stream, from, to);
    stream.sync();
    if (to_a != a || to_b != b)
        return std::puts("the copies differ"), 1;

    try {
        cmm::prefetch(from, {cmm::device{0}, cmm::host{}, cmm::host{}}, stream);
        return std::puts("three locations for two ranges were taken"), 1;
    } catch (const cmm::invalid_argument& error) {
        std::printf("%zu bytes copied by %zu calls; then: %s\n", report.bytes, report.calls,
                    error.what());
    }
}
