// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <cstring>
#include <memory>
#include <string>

using namespace machine_test;

BOOST_AUTO_TEST_SUITE(memory)

BOOST_AUTO_TEST_CASE(
    large_allocations_are_aligned_to_two_mebibytes_and_small_ones_to_64_kibibytes) {
    const machine on;
    BOOST_TEST(on.managed(2 * mib) % (2 * mib) == 0u);
    BOOST_TEST(on.managed(1) % (64 * kib) == 0u);
    BOOST_TEST(on.device_memory(3 * mib) % (2 * mib) == 0u);
}

BOOST_AUTO_TEST_CASE(attach_flags_are_one_of_three) {
    const machine on;
    pointer memory = 0;
    for (const unsigned flags : {1U, 2U, 4U})
        BOOST_TEST(on("cuMemAllocManaged", 6000, &memory, page, flags) == success);
    for (const unsigned flags : {0U, 3U, 5U, 8U})
        BOOST_TEST(on("cuMemAllocManaged", 6000, &memory, page, flags) == invalid_value);
}

BOOST_AUTO_TEST_CASE(managed_memory_can_be_limited) {
    const machine on("managed_limit=1048576");
    const pointer most = on.managed(mib - page);
    pointer more = 0;
    BOOST_TEST(on("cuMemAllocManaged", 6000, &more, 2 * page, 1U) == out_of_memory);
    BOOST_TEST(on.free(most) == success);
    BOOST_TEST(on("cuMemAllocManaged", 6000, &more, 2 * page, 1U) == success);
}

BOOST_AUTO_TEST_CASE(a_machine_can_lack_managed_memory) {
    const machine on("managed=0");
    pointer memory = 0;
    BOOST_TEST(on("cuMemAllocManaged", 6000, &memory, page, 1U) == not_supported);
    BOOST_TEST(on.attribute(83) == 0);
}

BOOST_AUTO_TEST_CASE(device_memory_is_counted_per_device) {
    const machine on("devices=2;device_memory=1048576");
    const pointer half = on.device_memory(mib / 2);
    std::size_t free = 0, total = 0;
    BOOST_TEST(on("cuMemGetInfo", 3020, &free, &total) == success);
    BOOST_TEST(total == mib);
    BOOST_TEST(free == mib / 2);
    pointer more = 0;
    BOOST_TEST(on("cuMemAlloc", 3020, &more, mib / 2 + 1) == out_of_memory);
    on.use(on.primary(1));
    BOOST_TEST(on("cuMemAlloc", 3020, &more, mib) == success);
    BOOST_TEST(on.free(half) == success);
}

BOOST_AUTO_TEST_CASE(device_memory_is_reached_by_copies_only) {
    const machine on;
    const pointer far = on.device_memory(mib), near = on.managed(mib);
    const opaque stream = on.stream();
    std::memset(bytes_at(near), 5, mib);
    on.copy(far, near, mib, stream);
    on.fill(near, 0, mib, stream);
    on.copy(near, far, mib, stream);
    BOOST_TEST(on.sync(stream) == success);
    BOOST_TEST(bytes_at(near)[mib - 1] == 5);
}

BOOST_AUTO_TEST_CASE(a_copy_must_stay_inside_its_allocation) {
    const machine on;
    const pointer to = on.managed(page), from = on.managed(2 * page);
    BOOST_TEST(on.copy(to, from, page + 1, on.stream()) == invalid_value);
    BOOST_TEST(on.copy(to + page - 1, from, 2, on.stream()) == invalid_value);
}

BOOST_AUTO_TEST_CASE(the_bytes_of_a_host_source_are_read_in_stream_order_unless_during_the_call) {
    const machine on;
    const pointer to = on.managed(page);
    const auto from = std::make_unique<unsigned char[]>(page);
    const auto copied = [&](int access) {
        const opaque stream = on.stream();
        std::memset(from.get(), 1, page);
        {
            const holding back;
            pointer target = to, source = reinterpret_cast<pointer>(from.get());
            std::size_t bytes = page, start = 0;
            driver::copy_attributes how{
                .order = access, .source = {}, .destination = {}, .flags = 0};
            BOOST_TEST(on("cuMemcpyBatchAsync", 13000, &target, &source, &bytes, std::size_t{1},
                          &how, &start, std::size_t{1}, stream) == success);
            std::memset(from.get(), 2, page);
        }
        BOOST_TEST(on.sync(stream) == success);
        return int{bytes_at(to)[0]};
    };
    constexpr int stream_order = 1, during_call = 2;
    BOOST_TEST(copied(stream_order) == 2);
    BOOST_TEST(copied(during_call) == 1);
}

BOOST_AUTO_TEST_CASE(host_memory_is_registered_once) {
    const machine on;
    const auto host = std::make_unique<unsigned char[]>(2 * page);
    void* first = host.get();
    constexpr int already = 712, not_registered = 713;
    BOOST_TEST(on("cuMemHostRegister", 6050, first, 2 * page, 0U) == success);
    BOOST_TEST(on("cuMemHostRegister", 6050, first, page, 0U) == already);
    BOOST_TEST(on("cuMemHostRegister", 6050, static_cast<void*>(host.get() + page), page, 0U) ==
               already);
    BOOST_TEST(live().registered_ranges == 1u);
    BOOST_TEST(on("cuMemHostUnregister", 4000, first) == success);
    BOOST_TEST(on("cuMemHostUnregister", 4000, first) == not_registered);
}

BOOST_AUTO_TEST_CASE(each_kind_is_freed_by_its_own_call) {
    const machine on;
    void* pinned = nullptr;
    BOOST_TEST(on("cuMemHostAlloc", 2020, &pinned, page, 0U) == success);
    const pointer shared = on.managed(page);
    BOOST_TEST(on.free(reinterpret_cast<pointer>(pinned)) == invalid_value);
    BOOST_TEST(on("cuMemFreeHost", 2000, reinterpret_cast<void*>(shared)) == invalid_value);
    BOOST_TEST(on.free(shared + 1) == invalid_value);
    BOOST_TEST(on.free(0) == success);
    BOOST_TEST(on.free(shared) == success);
    BOOST_TEST(on.free(shared) == invalid_value);
    BOOST_TEST(on("cuMemFreeHost", 2000, pinned) == success);
    BOOST_TEST(live().managed_allocations + live().pinned_allocations == 0u);
}

BOOST_AUTO_TEST_CASE(memory_freed_under_queued_work_is_reported_and_stays_until_the_work_is_done) {
    const machine on;
    const pointer source = on.managed(page), target = on.managed(page);
    const opaque stream = on.stream();
    std::memset(bytes_at(source), 3, page);
    {
        const holding back;
        on.copy(target, source, page, stream);
        BOOST_TEST(on.free(source) == success);
        BOOST_TEST(cmm_sim_use_after_free_count() == 1u);
    }
    BOOST_TEST(on.sync(stream) == success);
    BOOST_TEST(bytes_at(target)[0] == 3);
    const std::string report = cmm_sim_use_after_free_report();
    BOOST_TEST(report.find("4096 bytes") != std::string::npos, report);
}

BOOST_AUTO_TEST_CASE(memory_freed_after_its_work_is_not_reported) {
    const machine on;
    const pointer source = on.managed(page), target = on.managed(page);
    const opaque stream = on.stream();
    on.copy(target, source, page, stream);
    on.sync(stream);
    BOOST_TEST(on.free(source) == success);
    BOOST_TEST(cmm_sim_use_after_free_count() == 0u);
    BOOST_TEST(std::string(cmm_sim_use_after_free_report()).empty());
}

BOOST_AUTO_TEST_CASE(memory_goes_with_its_context) {
    const machine on("devices=2");
    on.use(on.primary(1));
    on.managed(page);
    on.stream();
    BOOST_TEST(on("cuDevicePrimaryCtxRelease", 11000, 1) == success);
    BOOST_TEST(live().managed_allocations == 0u);
    BOOST_TEST(live().streams == 0u);
    pointer memory = 0;
    BOOST_TEST(on("cuMemAllocManaged", 6000, &memory, page, 1U) == context_is_destroyed);
}

BOOST_AUTO_TEST_CASE(pools_account_for_what_they_gave) {
    const machine on;
    opaque pool = nullptr;
    const driver::pool_properties properties{.type = 1, .where = driver::device(0)};
    BOOST_TEST(on("cuMemPoolCreate", 11020, &pool, &properties) == success);
    pointer memory = 0;
    const opaque stream = on.stream();
    BOOST_TEST(on("cuMemAllocFromPoolAsync", 11020, &memory, page, pool, stream) == success);
    constexpr int used_now = 7, used_most = 8;
    std::uint64_t used = 0;
    BOOST_TEST(on("cuMemPoolGetAttribute", 11020, pool, used_now, static_cast<void*>(&used)) ==
               success);
    BOOST_TEST(used == page);
    BOOST_TEST(on("cuMemFreeAsync", 11020, memory, stream) == success);
    BOOST_TEST(on.sync(stream) == success);
    BOOST_TEST(on("cuMemPoolGetAttribute", 11020, pool, used_now, static_cast<void*>(&used)) ==
               success);
    BOOST_TEST(used == 0u);
    BOOST_TEST(on("cuMemPoolGetAttribute", 11020, pool, used_most, static_cast<void*>(&used)) ==
               success);
    BOOST_TEST(used == page);
    BOOST_TEST(live().pools == 1u);
    BOOST_TEST(on("cuMemPoolDestroy", 11020, pool) == success);
}

BOOST_AUTO_TEST_CASE(managed_pools_came_with_13_0) {
    const machine on("version=12080");
    opaque pool = nullptr;
    const driver::pool_properties properties{.type = 2};
    BOOST_TEST(on("cuMemPoolCreate", 11020, &pool, &properties) == invalid_value);
}

BOOST_AUTO_TEST_CASE(kernels_are_declined) {
    const machine on;
    opaque module = nullptr;
    BOOST_TEST(on("cuModuleLoadData", 2000, &module, static_cast<const void*>("")) ==
               not_supported);
    char name[64] = {};
    BOOST_TEST(on("cuDeviceGetName", 2000, &name[0], 64, 0) == success);
    BOOST_TEST(std::string(name).find("simulated") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
