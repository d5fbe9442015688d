// SPDX-License-Identifier: Apache-2.0
// Where a batch call overtakes a loop of single calls, by measurement.
//
// Source: bench/gpu/crossovers on one NVIDIA H200 (PCIe gen 5), driver 580.159.04 (CUDA 13.0), medians of the time
// until the stream is done, ranges scattered so that nothing merges. Anybody can run it again and print this table.
module;
#include <cstddef>
#include <cstdint>
module cmm.ops:crossovers;

namespace cmm::detail {

struct crossover {
    bool to_host;
    std::size_t bytes_from; // mean bytes per range, from this on
    std::size_t count_from; // and from this many ranges on
    bool batch;
};

// The last row that fits decides.
inline constexpr crossover crossovers[] = {
    {false, 0, 0, true},
    {false, 0, 192, false},            // 4 KiB x 256: loop 7.9 ms, batch 10.4 ms
    {false, 32 * 1024, 0, true},       // 64 KiB x 256: loop 10.8 ms, batch 8.3 ms
    {true, 0, 0, false},               // 64 KiB x 64: loop 1.1 ms, batch 2.2 ms
    {true, 1024 * 1024, 0, true},      // 2 MiB x 64: loop 14.6 ms, batch 11.7 ms
};

constexpr bool batch_is_faster(bool to_host, std::size_t mean_bytes, std::size_t count) noexcept {
    bool batch = false;
    for (const auto& c : crossovers)
        if (c.to_host == to_host && mean_bytes >= c.bytes_from && count >= c.count_from)
            batch = c.batch;
    return batch;
}

} // namespace cmm::detail
