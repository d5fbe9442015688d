// SPDX-License-Identifier: Apache-2.0
// What one operation costs more through cmm/cmm.h than through the modules: both over the same
// driver in interleaved rounds; the least of each, since other work on the machine only adds.
// CMM_DRIVER names the driver; one that does nothing shows it best.
#include "host/support/compare.hpp"
#include <algorithm>
#include <array>
#include <chrono>
#include <cmm/cmm.h>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>
import cmm;

namespace {

constexpr int rounds = 101;
constexpr int calls = 500;

template <class Call> double nanoseconds(Call call) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i)
        call();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    return took.count() / calls;
}

template <class Module, class C> void compare(const char* name, Module by_module, C by_c) {
    std::array<double, rounds> modules{};
    std::array<double, rounds> c{};
    for (int r = 0; r < rounds; ++r) {
        modules[r] = nanoseconds(by_module);
        c[r] = nanoseconds(by_c);
    }
    const double m = *std::min_element(modules.begin(), modules.end());
    const double h = *std::min_element(c.begin(), c.end());
    std::printf("%-24s modules %8.1f ns   cmm.h %8.1f ns   more %6.1f ns\n", name, m, h, h - m);
}

void fail_on(cmm_status s) {
    if (s != CMM_OK)
        std::puts(cmm_last_message());
}

} // namespace

int main() {
    cmm::bench::open_driver();
    std::printf("driver: %s%s\n", cmm::driver::get_facts().library.c_str(),
                cmm::driver::get_facts().simulated ? " (simulated)" : "");
    const cmm::managed_memory_resource resource;
    auto buffer = resource.allocate(65536);
    const auto none = resource.allocate(0);
    cmm::stream stream;
    cmm_resource c_resource{};
    cmm_buffer c_buffer{};
    cmm_buffer c_none{};
    cmm_stream c_stream{};
    fail_on(cmm_resource_create(nullptr, &c_resource));
    fail_on(cmm_allocate(c_resource, 65536, &c_buffer));
    fail_on(cmm_allocate(c_resource, 0, &c_none));
    fail_on(cmm_stream_create(nullptr, &c_stream));
    const cmm_location here = cmm_device(0);
    const cmm_target target = cmm_of(c_buffer);
    const cmm_target empty = cmm_of(c_none);

    compare(
        "size", [&] { (void)buffer.size(); },
        [&] {
            std::size_t n = 0;
            (void)cmm_buffer_size(c_buffer, &n);
        });
    compare(
        "read_mostly", [&] { (void)buffer.read_mostly(); },
        [&] {
            bool yes = false;
            (void)cmm_read_mostly(target, &yes);
        });
    compare(
        "prefetch of nothing", [&] { cmm::prefetch(none, cmm::device{0}, stream); },
        [&] {
            (void)cmm_prefetch(&empty, 1, &here, CMM_FOR_ALL, cmm_on(c_stream), nullptr, nullptr);
        });
    compare(
        "advise", [&] { cmm::advise(buffer, cmm::advice::set_read_mostly); },
        [&] { (void)cmm_advise(&target, 1, CMM_SET_READ_MOSTLY, nullptr, 0, nullptr, nullptr); });
    cmm_buffer_close(c_buffer);
    cmm_buffer_close(c_none);
    cmm_stream_close(c_stream);
    cmm_resource_close(c_resource);
    return 0;
}
