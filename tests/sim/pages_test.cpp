// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

using namespace machine_test;

namespace {

enum : int { set_read_mostly = 1, set_preferred = 3, set_accessed_by = 5 };
enum : int { device_type = 1, host_type = 2, node_type = 3 };

bool all_are(pointer memory, std::size_t bytes, unsigned char value) {
    return std::all_of(bytes_at(memory), bytes_at(memory) + bytes,
                       [=](unsigned char b) { return b == value; });
}

bool none_is(pointer memory, std::size_t bytes, unsigned char value) {
    return std::none_of(bytes_at(memory), bytes_at(memory) + bytes,
                        [=](unsigned char b) { return b == value; });
}

} // namespace

BOOST_AUTO_TEST_SUITE(pages)

BOOST_AUTO_TEST_CASE(each_page_tells_its_state) {
    const machine on("devices=2");
    const pointer memory = on.managed(3 * page);
    const opaque stream = on.stream();
    on.advise(memory + page, page, set_read_mostly, driver::host);
    on.advise(memory + page, page, set_preferred, driver::device(1));
    on.advise(memory + page, page, set_accessed_by, driver::device(1));
    on.advise(memory + page, page, set_accessed_by, driver::host);
    const cmm_sim_page state = page_at(memory + page + 17);
    BOOST_TEST(state.read_mostly == 1);
    BOOST_TEST(state.preferred_type == device_type);
    BOOST_TEST(state.preferred_id == 1);
    BOOST_TEST(state.accessed_by_devices == 2u);
    BOOST_TEST(state.accessed_by_host == 1);
    BOOST_TEST(state.prefetch_type == 0);
    BOOST_TEST(page_at(memory).read_mostly == 0);
    BOOST_TEST(page_at(memory + 2 * page).accessed_by_devices == 0u);
    BOOST_TEST(on.sync(stream) == success);
}

BOOST_AUTO_TEST_CASE(a_page_is_where_it_was_prefetched_once_the_work_is_done) {
    const machine on;
    const pointer memory = on.managed(page);
    const opaque stream = on.stream();
    {
        const holding back;
        on.prefetch(memory, page, driver::device(0), stream);
        BOOST_TEST(page_at(memory).prefetch_type == device_type);
        BOOST_TEST(page_at(memory).resident_type == 0);
    }
    on.sync(stream);
    BOOST_TEST(page_at(memory).resident_type == device_type);
    on.prefetch(memory, page, driver::host, stream);
    on.sync(stream);
    BOOST_TEST(page_at(memory).resident_type == host_type);
    BOOST_TEST(page_at(memory).prefetches == 2u);
}

BOOST_AUTO_TEST_CASE(a_discard_spoils_whole_pages_and_no_byte_more) {
    const machine on;
    const pointer memory = on.managed(4 * page);
    const opaque stream = on.stream();
    std::memset(bytes_at(memory), 9, 4 * page);
    BOOST_TEST(on.discard(memory + 100, 3 * page, stream) == success);
    on.sync(stream);
    BOOST_TEST(all_are(memory, page, 9));
    BOOST_TEST(none_is(memory + page, 2 * page, 9));
    BOOST_TEST(all_are(memory + 3 * page, page, 9));
    BOOST_TEST(page_at(memory).discards == 0u);
    BOOST_TEST(page_at(memory + page).discards == 1u);
    BOOST_TEST(page_at(memory + page).resident_type == 0);
}

BOOST_AUTO_TEST_CASE(memory_that_is_freed_leaves_no_state_behind) {
    const machine on;
    const pointer memory = on.managed(page);
    on.advise(memory, page, set_read_mostly, driver::host);
    BOOST_TEST(on.free(memory) == success);
    cmm_sim_page state{};
    BOOST_TEST(cmm_sim_page_state(memory, &state) == -1);
    for (int again = 0; again < 8; ++again)
        BOOST_TEST(page_at(on.managed(page)).read_mostly == 0);
}

BOOST_AUTO_TEST_CASE(the_page_size_is_the_machines) {
    const machine on("page_size=65536");
    const pointer memory = on.managed(4 * 65536);
    on.advise(memory + 65536 + 1, 1, set_read_mostly, driver::host);
    BOOST_TEST(page_at(memory + 65535).read_mostly == 0);
    BOOST_TEST(page_at(memory + 65536).read_mostly == 1);
    BOOST_TEST(page_at(memory + 2 * 65536 - 1).read_mostly == 1);
    BOOST_TEST(page_at(memory + 2 * 65536).read_mostly == 0);
}

BOOST_AUTO_TEST_CASE(nodes_count_where_there_are_several) {
    const machine on("numa_nodes=2");
    const pointer memory = on.managed(page);
    BOOST_TEST(on.advise(memory, page, set_preferred, driver::node(1)) == success);
    BOOST_TEST(page_at(memory).preferred_type == node_type);
    BOOST_TEST(page_at(memory).preferred_id == 1);
    BOOST_TEST(on.advise(memory, page, set_preferred, driver::node(2)) == invalid_value);
    BOOST_TEST(on.prefetch(memory, page, driver::node(1), on.stream()) == success);
    BOOST_TEST(page_at(memory).prefetch_id == 1);
}

BOOST_AUTO_TEST_CASE(without_concurrent_access_a_device_is_no_place) {
    const machine on("concurrent=0");
    const pointer memory = on.managed(page);
    const opaque stream = on.stream();
    BOOST_TEST(on.attribute(89) == 0);
    BOOST_TEST(on.prefetch(memory, page, driver::device(0), stream) == invalid_device);
    BOOST_TEST(on.prefetch(memory, page, driver::host, stream) == invalid_device);
    BOOST_TEST(on.advise(memory, page, set_preferred, driver::device(0)) == invalid_device);
    BOOST_TEST(on.advise(memory, page, set_accessed_by, driver::device(0)) == invalid_device);
    BOOST_TEST(on.advise(memory, page, set_preferred, driver::host) == success);
    BOOST_TEST(on.advise(memory, page, set_read_mostly, driver::host) == success);
}

BOOST_AUTO_TEST_CASE(a_batch_needs_concurrent_access_on_every_device) {
    const machine on("devices=2;concurrent=1,0");
    const pointer memory = on.managed(page);
    const opaque stream = on.stream();
    BOOST_TEST(on.prefetch(memory, page, driver::device(0), stream) == success);
    BOOST_TEST(on.discard(memory, page, stream) == invalid_device);
    BOOST_TEST(on.prefetch(memory, page, driver::device(1), stream) == invalid_device);
}

BOOST_AUTO_TEST_CASE(with_pageable_access_system_memory_is_advised_and_prefetched) {
    const machine on("pageable=1");
    const auto host = std::make_unique<unsigned char[]>(4 * page);
    const pointer memory = (reinterpret_cast<pointer>(host.get()) + page - 1) / page * page;
    BOOST_TEST(on.advise(memory, page, set_read_mostly, driver::host) == success);
    BOOST_TEST(on.prefetch(memory, page, driver::device(0), on.stream()) == success);
    int value = 0;
    BOOST_TEST(on("cuMemRangeGetAttribute", 8000, static_cast<void*>(&value), sizeof value, 1,
                  memory, page) == success);
    BOOST_TEST(value == 1);
    BOOST_TEST(on.discard(memory, page, on.stream()) == invalid_value);
    BOOST_TEST(on("cuCtxSynchronize", 2000) == success);
}

BOOST_AUTO_TEST_CASE(pinned_memory_is_no_system_memory) {
    const machine on("pageable=1");
    void* pinned = nullptr;
    BOOST_TEST(on("cuMemHostAlloc", 2020, &pinned, page, 0U) == success);
    BOOST_TEST(on.advise(reinterpret_cast<pointer>(pinned), page, set_read_mostly, driver::host) ==
               invalid_value);
}

BOOST_AUTO_TEST_SUITE_END()
