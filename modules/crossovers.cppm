// SPDX-License-Identifier: Apache-2.0
// Where a batch call overtakes a loop of single calls, by measurement.
//
// Source: `cmm_bench_gpu --crossovers` on one NVIDIA H200 (PCIe gen 5), driver 580.159.04 (CUDA 13.0), medians of the time
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

// The last row that fits decides. Loop and batch in microseconds stand behind each.
inline constexpr crossover crossovers[] = {
    {false, 0, 0, true},           // 4 KiB x 2: 78 and 60; 64 KiB x 8: 297 and 290
    {false, 0, 16, false},         // 4 KiB x 256: 8,167 and 8,935; 64 KiB x 128: 4,575 and 5,037
    {false, 128 * 1024, 0, true},  // 256 KiB x 64: 3,180 and 2,549; 2 MiB x 64: 8,500 and 6,555
    {true, 0, 0, false},           // 4 KiB x 64: 917 and 2,267; 2 MiB x 64: 11,591 and 13,944
};

constexpr bool batch_is_faster(bool to_host, std::size_t mean_bytes, std::size_t count) noexcept {
    bool batch = false;
    for (const auto& c : crossovers)
        if (c.to_host == to_host && mean_bytes >= c.bytes_from && count >= c.count_from)
            batch = c.batch;
    return batch;
}

} // namespace cmm::detail
