// SPDX-License-Identifier: Apache-2.0
// copy_batch: what it adds to the driver's batch call, or to one copy where all are neighbours.
#include "host/support/compare.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>
import cmm;
import cmm.bench.raw;

namespace {

using namespace cmm::bench;

constexpr std::size_t piece_bytes = 64 * 1024;
constexpr std::size_t counts[] = {64, 256, 1024};

struct world {
    raw_driver raw;
    cmm::stream stream;
    cmm::managed_memory_resource direct;
    cmm::managed_buffer from = direct.allocate(piece_bytes);
    cmm::managed_buffer to = direct.allocate(piece_bytes);
};

world& here() {
    static auto* w = new world;
    return *w;
}

// Every `step`-th piece of one allocation: 1 makes neighbours, 2 makes pieces that nothing merges.
std::vector<cmm::buffer> pieces(std::size_t count, std::size_t step, unsigned seed) {
    const auto whole = here().direct.allocate(step * count * piece_bytes);
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (seed)
        std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    std::vector<cmm::buffer> out;
    for (const auto i : order)
        out.push_back(whole.slice(step * i * piece_bytes, piece_bytes));
    return out;
}

struct lists {
    std::vector<cmm::buffer> srcs, dsts;
};

auto copy_all(std::size_t count, std::size_t step, unsigned seed) {
    auto both = std::make_shared<const lists>(lists{pieces(count, step, seed), pieces(count, step, seed)});
    return [both] { cmm::copy_batch(here().stream, both->srcs, both->dsts); };
}

auto one_copy() {
    return [from = here().from.handle(), to = here().to.handle()] {
        here().raw.copy(to, from, piece_bytes, here().stream.handle());
    };
}

auto one_batch(std::size_t count) {
    const std::vector<piece> from(count, {here().from.handle(), piece_bytes});
    const std::vector<piece> to(count, {here().to.handle(), piece_bytes});
    return [a = std::make_shared<batch_arrays>(to, from)] { here().raw.copy_batch(*a, here().stream.handle()); };
}

void add() {
    compare("copy a buffer", [] { here().from.copy_to(here().to, here().stream); }, one_copy(), {100});
    for (const auto count : counts) {
        compare(fmt::format("copy_batch {} neighbours", count), copy_all(count, 1, 0), one_copy(), {10, count});
        compare(fmt::format("copy_batch {} neighbours, shuffled", count), copy_all(count, 1, 7), one_copy(),
                {40, count});
        compare(fmt::format("copy_batch {} pieces apart", count), copy_all(count, 2, 0), one_batch(count),
                {10, count});
        compare(fmt::format("copy_batch {} pieces apart, shuffled", count), copy_all(count, 2, 7), one_batch(count),
                {40, count});
    }
}

} // namespace

int main(int argc, char** argv) { return cmm::bench::run(argc, argv, &add); }
