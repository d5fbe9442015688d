// SPDX-License-Identifier: Apache-2.0
// Shards of one array over MPI ranks. Each rank takes a GPU and the NUMA node beside it, stages its
// shard, works on it there, exchanges it with its neighbour straight from managed memory, and
// checks the sum of all.
//
//     mpirun -n 4 shards_mpi
#include "cpus.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mpi.h>
#include <numeric>
#include <optional>
#include <span>
#include <string>

import cmm;

namespace {

constexpr std::uint64_t shard_items = 1 << 18;

struct rank_info {
    int rank = 0, ranks = 1, on_this_host = 0;
};

rank_info who_am_i() {
    rank_info out;
    MPI_Comm_rank(MPI_COMM_WORLD, &out.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &out.ranks);
    MPI_Comm local;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
    MPI_Comm_rank(local, &out.on_this_host);
    MPI_Comm_free(&local);
    return out;
}

// Ranks of one host share its GPUs in turn, and each runs on the CPUs beside its own.
cmm::device take_device(const rank_info& me) {
    const cmm::device gpu{me.on_this_host % cmm::device_count()};
    cmm::set_current(gpu);
    const int node =
        cmm::driver::get_facts().devices[static_cast<std::size_t>(gpu.ordinal())].host_numa_id;
    const bool bound = node >= 0 && bind_to_node(node);
    std::printf("rank %d of %d: %s, host node %d%s\n", me.rank, me.ranks,
                to_string(cmm::location(gpu)).c_str(), node, bound ? "" : " (not bound)");
    return gpu;
}

std::span<std::uint64_t> items(const cmm::buffer& b) {
    return {static_cast<std::uint64_t*>(b.data()), b.size() / sizeof(std::uint64_t)};
}

std::uint64_t sum(std::span<const std::uint64_t> numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
}

// Stands for a kernel: it squares each number, in stream order.
struct squaring {
    std::span<std::uint64_t> numbers;
    static void run(void* user) {
        for (auto& number : static_cast<squaring*>(user)->numbers)
            number *= number;
    }
};

// 0² + 1² + … + (count - 1)²
constexpr std::uint64_t sum_of_squares(std::uint64_t count) {
    return (count - 1) * count / 2 * (2 * count - 1) / 3;
}

// Each rank sends its shard to the next one, and gets that of the one before it.
void exchange(const rank_info& me, const cmm::buffer& mine, const cmm::buffer& theirs) {
    const int next = (me.rank + 1) % me.ranks;
    const int before = (me.rank + me.ranks - 1) % me.ranks;
    MPI_Sendrecv(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, next, 0, theirs.data(),
                 static_cast<int>(theirs.size()), MPI_BYTE, before, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

bool run(const rank_info& me) {
    const auto gpu = take_device(me);
    const cmm::stream stream({.device = gpu});
    const auto memory = cmm::managed_memory_resource::arena({.device = gpu});
    const auto mine = memory.allocate(shard_items * sizeof(std::uint64_t));
    const auto theirs = memory.allocate(mine.size());
    std::iota(items(mine).begin(), items(mine).end(),
              static_cast<std::uint64_t>(me.rank) * shard_items);

    squaring work{items(mine)};
    cmm::advise(mine, cmm::advice::set_preferred_location, gpu);
    cmm::prefetch(mine, gpu, stream);
    cmm::driver::check(cmm::driver::host_function(stream.handle(), &squaring::run, &work),
                       {"shards", {}}, "cuLaunchHostFunc");
    cmm::prefetch({mine, theirs}, cmm::host{}, stream);
    stream.sync(); // MPI reads the memory on the host

    exchange(me, mine, theirs);
    const std::uint64_t sums[] = {sum(items(mine)), sum(items(theirs))};
    std::uint64_t totals[] = {0, 0};
    MPI_Allreduce(sums, totals, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    const auto expected = sum_of_squares(shard_items * static_cast<std::uint64_t>(me.ranks));
    if (me.rank == 0)
        std::printf(
            "the squares of %llu numbers add up to %llu: %s\n",
            static_cast<unsigned long long>(shard_items * static_cast<std::uint64_t>(me.ranks)),
            static_cast<unsigned long long>(totals[0]),
            totals[0] == expected && totals[1] == expected ? "right" : "WRONG");
    return totals[0] == expected && totals[1] == expected;
}

} // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    bool right = false;
    try {
        right = run(who_am_i());
    } catch (const cmm::error& e) { // the other ranks would wait for this one for ever
        std::fprintf(stderr, "shards_mpi: %s\n", e.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return right ? 0 : 1;
}
