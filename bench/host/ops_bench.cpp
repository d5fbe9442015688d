// SPDX-License-Identifier: Apache-2.0
// Moves, advice and properties: what they add to the driver calls.
#include "host/support/compare.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>
import cmm;
import cmm.bench.raw;

namespace {

using namespace cmm::bench;
using cmm::device, cmm::host, cmm::range;

constexpr std::size_t piece_bytes = 64 * 1024;
constexpr std::size_t counts[] = {64, 256, 1024};
constexpr limit one_operation{100};
constexpr limit one_query{30};

// Lives until the program ends: registered benchmarks refer to it.
struct world {
    raw_driver raw;
    cmm::stream stream;
    cmm::managed_memory_resource direct;
    cmm::managed_memory_resource arena = cmm::managed_memory_resource::arena({.slab_bytes = std::size_t{256} << 20U});
    cmm::managed_buffer one = direct.allocate(piece_bytes);
};

world& here() {
    static auto* w = new world;
    return *w;
}

piece piece_of(const cmm::buffer& b) { return {b.handle(), b.size()}; }

template <class T> std::vector<T> shuffled(std::vector<T> items) {
    std::shuffle(items.begin(), items.end(), std::mt19937(7));
    return items;
}

// -- targets ------------------------------------------------------------------------------------------------

std::vector<cmm::buffer> owned(const cmm::managed_memory_resource& from, std::size_t count) {
    std::vector<cmm::buffer> out;
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(from.allocate(piece_bytes));
    return out;
}

// Every second piece: nothing merges.
std::vector<cmm::buffer> apart(std::size_t count) {
    const auto whole = here().direct.allocate(2 * count * piece_bytes);
    std::vector<cmm::buffer> out;
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(whole.slice(2 * i * piece_bytes, piece_bytes));
    return out;
}

std::vector<cmm::buffer> slices(std::size_t count) {
    const auto whole = here().direct.allocate(count * piece_bytes);
    std::vector<cmm::buffer> out;
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(whole.slice(i * piece_bytes, piece_bytes));
    return out;
}

// Of memory that cmm did not allocate, in one allocation: one pointer query serves all.
std::vector<range> plain(std::size_t count) {
    const auto at = here().raw.allocate_managed(count * piece_bytes);
    std::vector<range> out;
    for (std::size_t i = 0; i < count; ++i)
        out.emplace_back(at + i * piece_bytes, piece_bytes);
    return out;
}

// -- batches ------------------------------------------------------------------------------------------------

template <class T> using shared_list = std::shared_ptr<const std::vector<T>>;

template <class T> shared_list<T> share(std::vector<T> items) {
    return std::make_shared<const std::vector<T>>(std::move(items));
}

// One merged call is what is left of neighbours.
auto one_prefetch(const piece& p) {
    return [p] { here().raw.prefetch(p, on_device, here().stream.handle()); };
}

auto one_batch(std::vector<piece> pieces) {
    return [a = std::make_shared<batch_arrays>(pieces)] {
        here().raw.prefetch_batch(*a, on_device, here().stream.handle());
    };
}

template <class Make, class Raw> void add_both_orders(const std::string& name, Make make, Raw raw) {
    const auto in_order = share(make());
    const auto mixed = share(shuffled(make()));
    const auto count = in_order->size();
    compare(fmt::format("prefetch {} {}", count, name),
            [in_order] { cmm::prefetch(*in_order, device{0}, here().stream); }, raw, {10, count});
    compare(fmt::format("prefetch {} {}, shuffled", count, name),
            [mixed] { cmm::prefetch(*mixed, device{0}, here().stream); }, raw, {40, count});
}

void add_batches(std::size_t count) {
    const piece some = piece_of(here().one);
    add_both_orders("slices of one buffer", [=] { return slices(count); }, one_prefetch(some));
    add_both_orders("buffers of an arena", [=] { return owned(here().arena, count); }, one_prefetch(some));
    add_both_orders("buffers, an allocation each", [=] { return owned(here().direct, count); },
                    one_batch(std::vector(count, some)));
    add_both_orders("slices apart", [=] { return apart(count); }, one_batch(std::vector(count, some)));
    add_both_orders("plain ranges", [=] { return plain(count); }, [=] {
        unsigned managed = 0;
        here().raw.pointer_attribute(&managed, 8, some.at);
        one_prefetch(some)();
    });
}

void add_other_batches() {
    const auto targets = share(slices(256));
    const auto some = piece_of(here().one);
    compare("discard_prefetch 256 slices of one buffer",
            [targets] { cmm::discard_prefetch(*targets, device{0}, here().stream); }, one_batch({some}), {10, 256});
    compare("discard 256 slices of one buffer", [targets] { cmm::discard(*targets, here().stream); },
            one_batch({some}), {10, 256});
    compare("advise 256 slices of one buffer",
            [targets] { cmm::advise(*targets, cmm::advice::set_read_mostly); },
            [some] { here().raw.advise(some, 1, on_device); }, {10, 256});
}

// -- single operations ----------------------------------------------------------------------------------------

void add_moves() {
    auto& b = here().one;
    const auto some = piece_of(b);
    compare("prefetch a buffer", [&b] { b.prefetch(device{0}, here().stream); }, one_prefetch(some), one_operation);
    compare("prefetch a buffer on a foreign stream",
            [&b, s = cmm::stream_ref::from_handle(
                     reinterpret_cast<std::uintptr_t>(here().stream.handle()))] { b.prefetch(device{0}, s); },
            one_prefetch(some), {200});
    compare("discard_prefetch a buffer", [&b] { b.discard_prefetch(device{0}, here().stream); }, one_batch({some}),
            one_operation);
    compare("discard a buffer", [&b] { b.discard(here().stream); }, one_batch({some}), one_operation);
}

void add_advice() {
    auto& b = here().one;
    const auto some = piece_of(b);
    compare("set read_mostly", [&b] { b.read_mostly(true); }, [some] { here().raw.advise(some, 1, on_device); },
            one_operation);
    compare("set preferred_location", [&b] { b.preferred_location(device{0}); },
            [some] { here().raw.advise(some, 3, on_device); }, one_operation);
    compare("assign accessed_by, unchanged", [&b] { b.accessed_by() = {device{0}}; },
            [some] {
                int found[2];
                here().raw.range_attribute(found, sizeof found, 3, some);
            },
            {150});
}

void add_queries() {
    auto& b = here().one;
    const auto some = piece_of(b);
    compare("read read_mostly", [&b] { benchmark::DoNotOptimize(b.read_mostly()); },
            [some] {
                int value = 0;
                here().raw.range_attribute(&value, sizeof value, 1, some);
                benchmark::DoNotOptimize(value);
            },
            one_query);
    compare("read preferred_location", [&b] { benchmark::DoNotOptimize(b.preferred_location()); },
            [some] { here().raw.preferred_location(some); }, one_query);
}

void add_tracing() {
    compare("ask whether tracing is on", [] { benchmark::DoNotOptimize(cmm::trace::on()); }, [] {}, {1});
}

void add() {
    add_moves();
    add_advice();
    add_queries();
    add_tracing();
    for (const auto count : counts)
        add_batches(count);
    add_other_batches();
}

} // namespace

int main(int argc, char** argv) { return cmm::bench::run(argc, argv, &add); }
