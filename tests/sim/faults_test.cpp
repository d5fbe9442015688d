// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

using namespace machine_test;

BOOST_AUTO_TEST_SUITE(faults)

BOOST_AUTO_TEST_CASE(the_nth_call_fails_and_no_other) {
    const machine on;
    BOOST_TEST(cmm_sim_fault("cuMemAllocManaged", 2, out_of_memory) == 0);
    pointer memory = 0;
    const auto allocate = [&] { return on("cuMemAllocManaged", 6000, &memory, page, 1U); };
    BOOST_TEST(allocate() == success);
    BOOST_TEST(allocate() == out_of_memory);
    BOOST_TEST(allocate() == success);
    BOOST_TEST(live().managed_allocations == 2u);
    BOOST_TEST(cmm_sim_faults_played() == 1u);
}

BOOST_AUTO_TEST_CASE(zero_means_every_call_until_they_are_cleared) {
    const machine on;
    const opaque stream = on.stream();
    BOOST_TEST(cmm_sim_fault("cuStreamSynchronize", 0, not_ready) == 0);
    BOOST_TEST(on.sync(stream) == not_ready);
    BOOST_TEST(on.sync(stream) == not_ready);
    cmm_sim_clear_faults();
    BOOST_TEST(on.sync(stream) == success);
}

BOOST_AUTO_TEST_CASE(a_name_means_all_its_versions) {
    const machine on;
    const pointer memory = on.managed(page);
    BOOST_TEST(cmm_sim_fault("cuMemAdvise", 0, not_supported) == 0);
    BOOST_TEST(on.advise(memory, page, 1, driver::host) == not_supported);
    BOOST_TEST(on("cuMemAdvise", 8000, memory, page, 1, -1) == not_supported);
    BOOST_TEST(page_at(memory).read_mostly == 0);
}

BOOST_AUTO_TEST_CASE(the_configuration_arms_faults_too) {
    const machine on("faults=cuEventCreate:1:2,cuStreamCreate:2:801");
    opaque made = nullptr;
    BOOST_TEST(on("cuEventCreate", 2000, &made, 0U) == out_of_memory);
    BOOST_TEST(on("cuStreamCreate", 2000, &made, 0U) == success);
    BOOST_TEST(on("cuStreamCreate", 2000, &made, 0U) == not_supported);
    BOOST_TEST(cmm_sim_faults_played() == 2u);
}

BOOST_AUTO_TEST_CASE(even_the_start_can_fail) {
    const machine on;
    BOOST_TEST(cmm_sim_fault("cuInit", 1, 999) == 0);
    BOOST_TEST(on("cuInit", 2000, 0U) == 999);
    BOOST_TEST(on("cuInit", 2000, 0U) == success);
}

BOOST_AUTO_TEST_CASE(a_fault_that_cannot_be_played_is_refused) {
    BOOST_TEST(cmm_sim_fault("", 1, invalid_value) == -1);
    BOOST_TEST(cmm_sim_fault(nullptr, 1, invalid_value) == -1);
    BOOST_TEST(cmm_sim_fault("cuMemFree", 1, success) == -1);
    BOOST_TEST(std::string(cmm_sim_message()) != "");
}

BOOST_AUTO_TEST_CASE(a_launch_failure_sticks_to_its_context) {
    const machine on("devices=2");
    const pointer memory = on.managed(page);
    const opaque stream = on.stream();
    BOOST_TEST(cmm_sim_fault("cuMemPrefetchAsync", 1, launch_failed) == 0);
    BOOST_TEST(on.prefetch(memory, page, driver::host, stream) == launch_failed);
    BOOST_TEST(on.prefetch(memory, page, driver::host, stream) == launch_failed);
    BOOST_TEST(on.sync(stream) == launch_failed);
    BOOST_TEST(on.free(memory) == launch_failed);
    on.use(on.primary(1));
    BOOST_TEST(on.free(on.managed(page)) == success);
    BOOST_TEST(on.sync(stream) == launch_failed);
}

BOOST_AUTO_TEST_CASE(an_ordinary_error_does_not_stick) {
    const machine on;
    BOOST_TEST(cmm_sim_fault("cuMemFree", 1, invalid_value) == 0);
    const pointer memory = on.managed(page);
    BOOST_TEST(on.free(memory) == invalid_value);
    BOOST_TEST(on.free(memory) == success);
}

BOOST_AUTO_TEST_CASE(a_reset_heals) {
    const machine on;
    BOOST_TEST(cmm_sim_fault("cuCtxSynchronize", 1, illegal_address) == 0);
    BOOST_TEST(on("cuCtxSynchronize", 2000) == illegal_address);
    BOOST_TEST(on("cuCtxSynchronize", 2000) == illegal_address);
    BOOST_TEST(cmm_sim_reset("") == 0);
    on.use(on.primary());
    BOOST_TEST(on("cuCtxSynchronize", 2000) == success);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(record)

BOOST_AUTO_TEST_CASE(a_call_is_recorded_with_what_it_was_given) {
    const machine on;
    const pointer memory = on.managed(2 * page);
    const opaque stream = on.stream();
    on.advise(memory, page, 2, driver::host); // so that the look-ups are done
    on.prefetch(memory, page, driver::host, stream);
    cmm_sim_record_clear();
    BOOST_TEST(on.advise(memory + page, page, 3, driver::device(0)) == success);
    BOOST_TEST(on.prefetch(memory, 2 * page, driver::host, stream) == success);
    BOOST_TEST_REQUIRE(cmm_sim_record_count() == 2u);
    cmm_sim_call advised{}, prefetched{};
    BOOST_TEST(cmm_sim_record_get(0, &advised) == 0);
    BOOST_TEST(cmm_sim_record_get(1, &prefetched) == 0);
    BOOST_TEST(cmm_sim_record_get(2, &prefetched) == -1);
    BOOST_TEST(std::string(advised.entry) == "cuMemAdvise");
    BOOST_TEST(advised.version == 12020);
    BOOST_TEST(advised.address == memory + page);
    BOOST_TEST(advised.bytes == page);
    BOOST_TEST(advised.advice == 3);
    BOOST_TEST(advised.location_type == 1);
    BOOST_TEST(advised.location_id == 0);
    BOOST_TEST(prefetched.stream == reinterpret_cast<std::uint64_t>(stream));
    BOOST_TEST(prefetched.count == 1u);
    BOOST_TEST(prefetched.thread != 0u);
    BOOST_TEST(cmm_sim_calls("cuMemAdvise") == 1u);
}

BOOST_AUTO_TEST_CASE(refused_calls_are_recorded_with_their_result) {
    const machine on;
    on.free(0); // so that the look-up is done
    cmm_sim_record_clear();
    BOOST_TEST(on.free(page) == invalid_value);
    cmm_sim_call call{};
    BOOST_TEST_REQUIRE(cmm_sim_record_get(0, &call) == 0);
    BOOST_TEST(call.result == invalid_value);
}

BOOST_AUTO_TEST_CASE(a_batch_is_recorded_element_by_element) {
    const machine on;
    pointer addresses[] = {on.managed(page), on.managed(page), on.managed(page)};
    std::size_t bytes[] = {page, 10, 20}, starts[] = {0, 2};
    driver::location places[] = {driver::host, driver::device(0)};
    cmm_sim_record_clear();
    BOOST_TEST(on("cuMemPrefetchBatchAsync", 13000, &addresses[0], &bytes[0], std::size_t{3},
                  &places[0], &starts[0], std::size_t{2}, std::uint64_t{0},
                  on.stream()) == success);
    const std::size_t last = cmm_sim_record_count() - 1;
    cmm_sim_call call{};
    std::uint64_t seen[3] = {}, sizes[3] = {};
    int locations[4] = {};
    BOOST_TEST(cmm_sim_record_get(last, &call) == 0);
    BOOST_TEST(call.count == 3u);
    BOOST_TEST(call.attributes == 2u);
    BOOST_TEST(cmm_sim_record_ranges(last, 3, seen, sizes, nullptr, nullptr) == 3u);
    BOOST_TEST(seen[2] == addresses[2]);
    BOOST_TEST(sizes[1] == 10u);
    BOOST_TEST(cmm_sim_record_ranges(last, 2, nullptr, nullptr, nullptr, locations) == 3u);
    BOOST_TEST(locations[0] == 2);
    BOOST_TEST(locations[2] == 1);
    BOOST_TEST(cmm_sim_record_ranges(0, 3, nullptr, nullptr, nullptr, nullptr) == 0u);
}

BOOST_AUTO_TEST_CASE(it_can_be_switched_off) {
    const machine on;
    cmm_sim_record_clear();
    cmm_sim_record_enable(0);
    on.managed(page);
    BOOST_TEST(cmm_sim_record_count() == 0u);
    cmm_sim_record_enable(1);
    on.managed(page);
    BOOST_TEST(cmm_sim_record_count() == 1u);
}

BOOST_AUTO_TEST_CASE(the_last_million_calls_are_kept) {
    const machine on;
    cmm_sim_record_clear();
    constexpr std::size_t kept = 1 << 20;
    int count = 0;
    BOOST_TEST(on("cuCtxSynchronize", 2000) == success);
    for (std::size_t call = 0; call < kept; ++call)
        on("cuDeviceGetCount", 2000, &count);
    BOOST_TEST(cmm_sim_record_count() == kept);
    BOOST_TEST(cmm_sim_calls("cuCtxSynchronize") == 0u);
    BOOST_TEST(cmm_sim_calls("cuDeviceGetCount") == kept);
}

BOOST_AUTO_TEST_SUITE_END()
