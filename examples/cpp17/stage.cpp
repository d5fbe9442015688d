// SPDX-License-Identifier: Apache-2.0
// The same in C++17, and a standard container in managed memory.
//     g++ -std=c++17 stage.cpp -lcmm -o stage && ./stage          (CMM_DRIVER=sim ./stage without a
//     GPU)
#include <algorithm>
#include <cmm/cmm.hpp> // with a compiler that has modules: import cmm;
#include <cstddef>
#include <iostream>
#include <memory_resource>
#include <numeric>
#include <vector>

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

void fill(const cmm::buffer& b, unsigned char value) {
    const auto view = b.as_span<unsigned char>();
    std::fill(view.begin(), view.end(), value);
}

bool is_filled(const cmm::buffer& b, unsigned char value) {
    const auto view = b.as_span<unsigned char>();
    return std::all_of(view.begin(), view.end(), [=](auto c) { return c == value; });
}

bool stage(cmm::stream& stream) {
    const auto arena = cmm::managed_memory_resource::arena();
    auto weights = arena.allocate(4 * mib);
    const auto in = arena.allocate_batch({mib, 2 * mib});
    const auto out = arena.allocate_batch({mib, 2 * mib});
    fill(weights, 1);
    fill(in[0], 17);
    fill(in[1], 42);

    weights.read_mostly(true);
    weights.preferred_location(cmm::device{0});
    weights.accessed_by() = {cmm::device{0}, cmm::host{}};
    weights.prefetch(cmm::device{0}, stream);
    cmm::prefetch({out[0], out[1]}, {cmm::device{0}, cmm::host{}}, stream);
    const auto report = cmm::copy_batch(stream, in, out);
    stream.sync();
    std::cout << "copied " << report.ranges_in << " ranges as " << report.ranges_out << " by "
              << report.entry << " (" << report.reason << ")\n";
    return is_filled(out[0], 17) && is_filled(out[1], 42);
}

// A vector whose numbers the device can be given.
bool sum(cmm::stream& stream) {
    cmm::pmr_resource managed;
    std::pmr::vector<int> numbers(1000, &managed);
    std::iota(numbers.begin(), numbers.end(), 1);
    const cmm::range bytes(numbers.data(), numbers.size() * sizeof(int));
    cmm::prefetch(bytes, cmm::device{0}, stream);
    cmm::prefetch(bytes, cmm::host{}, stream);
    stream.sync();
    return std::accumulate(numbers.begin(), numbers.end(), 0) == 500500;
}

} // namespace

int main() {
    try {
        const auto driver = cmm::driver::get_facts();
        std::cout << "CUDA " << driver.version / 1000
                  << (driver.simulated ? ", simulated\n" : "\n");
        cmm::stream stream;
        const bool good = stage(stream) && sum(stream);
        std::cout << (good ? "all bytes are right\n" : "failed\n");
        return good ? 0 : 1;
    } catch (const cmm::error& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
