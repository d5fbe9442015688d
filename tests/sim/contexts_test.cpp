// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <atomic>
#include <thread>
#include <vector>

using namespace machine_test;

BOOST_AUTO_TEST_SUITE(contexts)

BOOST_AUTO_TEST_CASE(a_thread_starts_without_a_context) {
    const machine on;
    int allocated = -1, freed = -1;
    opaque current = reinterpret_cast<opaque>(1);
    const pointer memory = on.managed(page);
    std::thread([&] {
        pointer own = 0;
        on("cuCtxGetCurrent", 4000, &current);
        allocated = on("cuMemAllocManaged", 6000, &own, page, 1U);
        freed = on.free(memory);
    }).join();
    BOOST_TEST(current == nullptr);
    BOOST_TEST(allocated == invalid_context);
    BOOST_TEST(freed == invalid_context);
    BOOST_TEST(live().managed_allocations == 1u);
}

BOOST_AUTO_TEST_CASE(the_stack_of_a_thread_is_pushed_and_popped) {
    const machine on("devices=2");
    const opaque zero = on.primary(0), one = on.primary(1);
    opaque current = nullptr;
    int device = -1;
    BOOST_TEST(on("cuCtxPushCurrent", 4000, one) == success);
    BOOST_TEST(on("cuCtxGetDevice", 2000, &device) == success);
    BOOST_TEST(device == 1);
    BOOST_TEST(live().context_stack == 2u);
    BOOST_TEST(on("cuCtxPopCurrent", 4000, &current) == success);
    BOOST_TEST(current == one);
    BOOST_TEST(on("cuCtxGetCurrent", 4000, &current) == success);
    BOOST_TEST(current == zero);
    BOOST_TEST(on("cuCtxPopCurrent", 4000, &current) == success);
    BOOST_TEST(on("cuCtxPopCurrent", 4000, &current) == invalid_context);
}

BOOST_AUTO_TEST_CASE(a_primary_context_is_counted_and_comes_back_with_its_handle) {
    const machine on;
    const opaque first = on.primary();
    BOOST_TEST(on("cuDevicePrimaryCtxRelease", 11000, 0) == success);
    BOOST_TEST(live().contexts == 1u);
    BOOST_TEST(on("cuDevicePrimaryCtxRelease", 11000, 0) == success);
    BOOST_TEST(live().contexts == 0u);
    BOOST_TEST(on("cuDevicePrimaryCtxRelease", 11000, 0) == invalid_context);
    unsigned flags = 0;
    int is_active = 1;
    BOOST_TEST(on("cuDevicePrimaryCtxGetState", 7000, 0, &flags, &is_active) == success);
    BOOST_TEST(is_active == 0);
    BOOST_TEST(on("cuCtxSynchronize", 2000) == context_is_destroyed);
    BOOST_TEST(on.primary() == first);
    BOOST_TEST(on("cuCtxSynchronize", 2000) == success);
}

BOOST_AUTO_TEST_CASE(a_stream_carries_its_context) {
    const machine on("devices=2");
    const opaque zero = on.primary(0), stream = on.stream();
    on.use(on.primary(1));
    opaque of = nullptr;
    int device = -1;
    BOOST_TEST(on("cuStreamGetCtx", 9020, stream, &of) == success);
    BOOST_TEST(of == zero);
    BOOST_TEST(on("cuStreamGetDevice", 12080, stream, &device) == success);
    BOOST_TEST(device == 0);
    on.use(nullptr);
    BOOST_TEST(on.sync(stream) == success);
    BOOST_TEST(on("cuStreamDestroy", 4000, stream) == success);
    BOOST_TEST(on.sync(driver::null_stream) == invalid_context);
}

BOOST_AUTO_TEST_CASE(a_created_context_is_current_and_has_an_end) {
    const machine on;
    opaque made = nullptr, current = nullptr;
    BOOST_TEST(on("cuCtxCreate", 3020, &made, 0U, 0) == success);
    BOOST_TEST(on("cuCtxGetCurrent", 4000, &current) == success);
    BOOST_TEST(current == made);
    BOOST_TEST(live().contexts == 2u);
    BOOST_TEST(on("cuCtxDestroy", 4000, made) == success);
    BOOST_TEST(on("cuCtxSetCurrent", 4000, made) == invalid_context);
    BOOST_TEST(on("cuCtxSynchronize", 2000) == success);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(devices)

BOOST_AUTO_TEST_CASE(there_are_as_many_as_configured) {
    const machine on("devices=3;concurrent=1,0,1;pageable=0,1,0");
    int device = -1;
    BOOST_TEST(on("cuDeviceGet", 2000, &device, 2) == success);
    BOOST_TEST(on("cuDeviceGet", 2000, &device, 3) == invalid_device);
    BOOST_TEST(on.attribute(89, 0) == 1);
    BOOST_TEST(on.attribute(89, 1) == 0);
    BOOST_TEST(on.attribute(88, 1) == 1);
    int value = 0;
    BOOST_TEST(on("cuDeviceGetAttribute", 2000, &value, 100000, 0) == invalid_value);
}

BOOST_AUTO_TEST_CASE(peers_reach_each_other_once_enabled) {
    const machine on("devices=2");
    const opaque other = on.primary(1);
    int can = -1;
    constexpr int already = 704, not_enabled = 705;
    BOOST_TEST(on("cuDeviceCanAccessPeer", 4000, &can, 0, 1) == success);
    BOOST_TEST(can == 1);
    BOOST_TEST(on("cuDeviceCanAccessPeer", 4000, &can, 0, 0) == success);
    BOOST_TEST(can == 0);
    BOOST_TEST(on("cuCtxEnablePeerAccess", 4000, other, 1U) == invalid_value);
    BOOST_TEST(on("cuCtxEnablePeerAccess", 4000, other, 0U) == success);
    BOOST_TEST(on("cuCtxEnablePeerAccess", 4000, other, 0U) == already);
    BOOST_TEST(on("cuCtxDisablePeerAccess", 4000, other) == success);
    BOOST_TEST(on("cuCtxDisablePeerAccess", 4000, other) == not_enabled);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(threads)

BOOST_AUTO_TEST_CASE(many_threads_work_beside_each_other) {
    const machine on;
    const opaque context = on.primary();
    constexpr int count = 8, rounds = 50;
    std::vector<std::thread> all;
    std::atomic<int> wrong = 0;
    for (int thread = 0; thread < count; ++thread)
        all.emplace_back([&, thread] {
            on("cuCtxSetCurrent", 4000, context);
            for (int round = 0; round < rounds; ++round) {
                const auto value = static_cast<unsigned char>(1 + (thread * rounds + round) % 250);
                pointer memory = 0;
                opaque stream = nullptr;
                wrong += on("cuMemAllocManaged", 6000, &memory, 4 * page, 1U) != success;
                wrong += on("cuStreamCreate", 2000, &stream, 0U) != success;
                wrong += on.fill(memory, value, 4 * page,
                                 round % 2 ? stream : driver::per_thread) != success;
                wrong += on.prefetch(memory, page, driver::device(0), stream) != success;
                wrong += on("cuCtxSynchronize", 2000) != success;
                wrong += bytes_at(memory)[page] != value;
                wrong += on("cuStreamDestroy", 4000, stream) != success;
                wrong += on.free(memory) != success;
            }
        });
    for (std::thread& each : all)
        each.join();
    BOOST_TEST(wrong == 0);
    BOOST_TEST(live().managed_allocations == 0u);
    BOOST_TEST(live().streams == 0u);
    BOOST_TEST(cmm_sim_use_after_free_count() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
