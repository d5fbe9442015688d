// SPDX-License-Identifier: Apache-2.0
// Prefetch, discard and discard_prefetch: what they do, and by which calls.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <string>
#include <vector>

#include "support/machine.hpp"

using namespace cmm;
using namespace cmm::test;
namespace data = boost::unit_test::data;
using boost::unit_test::precondition;

namespace {

struct world {
    machine here{"devices=2"};
    managed_memory_resource mr;
    stream s;
    managed_buffer a = mr.allocate(64 * kib), b = mr.allocate(64 * kib), c = mr.allocate(64 * kib);
};

bool resident(const buffer& b, int type, int id, std::size_t offset = 0) {
    const auto p = page_of(b, offset);
    return p.resident_type == type && (type != 1 || p.resident_id == id);
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(prefetching, world)

BOOST_AUTO_TEST_CASE(one_buffer_is_moved_and_keeps_its_contents) {
    fill(a, 7);
    const auto r = prefetch(a, device{1}, s);
    s.sync();
    BOOST_TEST(resident(a, 1, 1));
    BOOST_TEST(all_bytes(a, 7));
    BOOST_TEST(r.ranges_in == 1U);
    BOOST_TEST(r.ranges_out == 1U);
    BOOST_TEST(r.calls == 1U);
    BOOST_TEST(r.bytes == 64 * kib);
    BOOST_TEST(r.entry == driver::prefetch_entry());
    BOOST_TEST(r.reason == "one range");
}

BOOST_AUTO_TEST_CASE(it_goes_in_stream_order) {
    const holding back;
    prefetch(a, device{0}, s);
    BOOST_TEST(!s.done());
    BOOST_TEST(page_of(a).resident_type == 0);
    cmm_sim_release();
    s.sync();
    BOOST_TEST(resident(a, 1, 0));
}

BOOST_AUTO_TEST_CASE(the_stream_that_was_given_is_used) {
    cmm_sim_record_clear();
    prefetch(a, device{0}, s);
    BOOST_REQUIRE(sent().size() == 1U);
    BOOST_TEST(sent()[0].stream == reinterpret_cast<std::uint64_t>(s.handle()));
    s.sync();
}

BOOST_AUTO_TEST_CASE(the_last_prefetch_can_be_asked) {
    prefetch(a, device{1}, s);
    BOOST_TEST((last_prefetch_location(a) == location(device{1})));
    prefetch(a.slice(0, 4096), device{0}, s);
    BOOST_TEST(!last_prefetch_location(a).has_value());
    s.sync();
}

BOOST_AUTO_TEST_CASE(one_byte_moves_its_page) {
    prefetch(range(a.handle() + 5000, 1), device{0}, s);
    s.sync();
    BOOST_TEST(resident(a, 1, 0, 4096));
    BOOST_TEST(page_of(a).resident_type == 0);
    BOOST_TEST(page_of(a, 2 * 4096).resident_type == 0);
}

BOOST_AUTO_TEST_CASE(nothing_is_ever_prefetched_unasked) {
    fill(a, 1);
    a.read_mostly(true);
    a.preferred_location(device{0});
    a.accessed_by() = {device{0}};
    copy_to(a, b, s);
    s.sync();
    BOOST_TEST(cmm_sim_calls("cuMemPrefetchAsync") == 0U);
    BOOST_TEST(cmm_sim_calls("cuMemPrefetchBatchAsync") == 0U);
}

BOOST_AUTO_TEST_CASE(members_say_the_same_as_functions) {
    BOOST_TEST(a.prefetch(device{1}, s).calls == 1U);
    s.sync();
    BOOST_TEST(resident(a, 1, 1));
    BOOST_TEST((a.last_prefetch_location() == location(device{1})));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(discarding, world)

BOOST_AUTO_TEST_CASE(below_13_0_it_is_not_supported, *precondition(below{13000})) {
    const told discards{{}, {}, {"a discard needs a driver of CUDA 13.0", "this one offers CUDA 1"}};
    refuses<not_supported>([&] { discard(a, s); }, discards);
    refuses<not_supported>([&] { discard_prefetch(a, device{0}, s); },
                           {{}, {}, {"a discard_prefetch needs a driver of CUDA 13.0"}});
    refuses<not_supported>([&] { a.discard(s); }, discards);
}

BOOST_AUTO_TEST_CASE(contents_are_gone_afterwards, *precondition(since{13000})) {
    fill(a, 7);
    const auto r = discard(a, s);
    s.sync();
    BOOST_TEST(page_of(a).discards == 1U);
    BOOST_TEST(!all_bytes(a, 7));
    BOOST_TEST(r.entry == "cuMemDiscardBatchAsync@13000");
    BOOST_TEST(r.reason == "the only entry point");
    BOOST_TEST((r.strategy == strategy::driver_batch));
}

BOOST_AUTO_TEST_CASE(partly_covered_pages_keep_their_contents, *precondition(since{13000})) {
    fill(a, 9);
    discard({range(a.handle(), 100), range(a.handle() + 4000, 4192)}, s);
    s.sync();
    const auto bytes = a.as_span<unsigned char>();
    BOOST_TEST(int{bytes[0]} == 9);
    BOOST_TEST(int{bytes[4095]} == 9);
    BOOST_TEST(int{bytes[8192]} == 9);
    BOOST_TEST(page_of(a, 4096).discards == 1U);
}

BOOST_AUTO_TEST_CASE(one_byte_discards_nothing, *precondition(since{13000})) {
    fill(a, 9);
    discard(range(a.handle() + 5000, 1), s);
    s.sync();
    BOOST_TEST(all_bytes(a, 9));
}

BOOST_AUTO_TEST_CASE(discard_prefetch_places_without_moving, *precondition(since{13000})) {
    fill(a, 7);
    discard_prefetch(a, device{1}, s);
    s.sync();
    BOOST_TEST(resident(a, 1, 1));
    BOOST_TEST(page_of(a).discards == 1U);
    BOOST_TEST((last_prefetch_location(a) == location(device{1})));
}

BOOST_AUTO_TEST_CASE(a_bad_second_location_discards_nothing, *precondition(since{13000})) {
    fill(a, 7);
    refuses<invalid_argument>([&] { discard_prefetch({a, b}, {device{0}, device{9}}, s); },
                              {"locations", 1U});
    s.sync();
    BOOST_TEST(all_bytes(a, 7));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(strategies, world)

BOOST_AUTO_TEST_CASE(the_batch_can_be_asked_for, *precondition(since{13000})) {
    cmm_sim_record_clear();
    const auto r = prefetch({a, b, c}, device{0}, s, {.strategy = strategy::driver_batch});
    BOOST_TEST(sent_names() == "cuMemPrefetchBatchAsync@13000");
    BOOST_TEST(r.calls == 1U);
    BOOST_TEST(r.ranges_out == 3U);
    BOOST_TEST((r.strategy == strategy::driver_batch));
    BOOST_TEST(r.reason == "asked for");
    BOOST_TEST(r.entry == "cuMemPrefetchBatchAsync@13000");
    s.sync();
}

BOOST_AUTO_TEST_CASE(range_by_range_can_be_asked_for) {
    cmm_sim_record_clear();
    const auto r = prefetch({a, b, c}, device{0}, s, {.strategy = strategy::per_range});
    BOOST_TEST(sent().size() == 3U);
    for (const auto& call : sent())
        BOOST_TEST(name_of(call) == driver::prefetch_entry());
    BOOST_TEST(r.calls == 3U);
    BOOST_TEST((r.strategy == strategy::per_range));
    if (environment_level() >= 13000)
        BOOST_TEST(r.reason == "asked for");
    s.sync();
}

BOOST_AUTO_TEST_CASE(returning_early_is_range_by_range, *precondition(since{13000})) {
    const auto r =
        prefetch({a, b, c}, device{0}, s, {.strategy = strategy::return_early});
    BOOST_TEST(r.calls == 3U);
    BOOST_TEST(r.reason == "single calls return early");
    s.sync();
}

BOOST_AUTO_TEST_CASE(without_a_batch_it_goes_range_by_range, *precondition(below{13000})) {
    for (const auto asked : {strategy::automatic, strategy::driver_batch}) {
        const auto r = prefetch({a, b, c}, device{0}, s, {.strategy = asked});
        BOOST_TEST(r.calls == 3U);
        BOOST_TEST(r.reason == "this driver has no batch entry point");
    }
    s.sync();
}

BOOST_AUTO_TEST_CASE(few_large_ranges_to_a_device_go_by_the_batch, *precondition(since{13000})) {
    const auto r = prefetch({a, b, c}, device{0}, s);
    BOOST_TEST((r.strategy == strategy::driver_batch));
    BOOST_TEST(r.reason == "measured faster");
    s.sync();
}

BOOST_AUTO_TEST_CASE(small_ranges_to_the_host_go_one_by_one, *precondition(since{13000})) {
    const auto r = prefetch({a, b, c}, host{}, s);
    BOOST_TEST((r.strategy == strategy::per_range));
    BOOST_TEST(r.reason == "measured faster");
    s.sync();
}

BOOST_AUTO_TEST_CASE(ranges_that_are_there_already_go_one_by_one, *precondition(since{13000})) {
    prefetch({a, b, c}, device{0}, s);
    const auto r = prefetch({a, b, c}, device{0}, s);
    BOOST_TEST((r.strategy == strategy::per_range));
    BOOST_TEST(r.reason == "already there");
    const auto again = prefetch({a, b, c}, device{1}, s);
    BOOST_TEST((again.strategy == strategy::driver_batch));
    s.sync();
}

BOOST_AUTO_TEST_CASE(a_batch_tells_each_new_location_once, *precondition(since{13000})) {
    std::vector<const managed_buffer*> order{&a, &b, &c};
    std::ranges::sort(order, {}, [](const auto* x) { return x->handle(); });
    cmm_sim_record_clear();
    prefetch({*order[0], *order[1], *order[2]}, {device{0}, device{0}, device{1}}, s,
             {.strategy = strategy::driver_batch});
    BOOST_REQUIRE(sent().size() == 1U);
    BOOST_TEST(sent()[0].count == 3U);
    BOOST_TEST(sent()[0].attributes == 2U);
    s.sync();
    BOOST_TEST(resident(*order[1], 1, 0));
    BOOST_TEST(resident(*order[2], 1, 1));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(huge_batches)

namespace {

// Pages apart from each other, so that nothing merges.
std::vector<range> scattered(const buffer& b, std::size_t count) {
    std::vector<range> out;
    for (std::size_t i = 0; i < count; ++i)
        out.emplace_back(b.handle() + 2 * i * page(), page());
    return out;
}

constexpr std::size_t many = 4096 + 100;

} // namespace

BOOST_AUTO_TEST_CASE(they_go_in_chunks, *precondition(since{13000})) {
    const machine here;
    const stream s;
    const auto big = managed_memory_resource().allocate(2 * many * page());
    cmm_sim_record_clear();
    const auto r = prefetch(scattered(big, many), device{0}, s, {.strategy = strategy::driver_batch});
    BOOST_TEST(r.calls == 2U);
    BOOST_REQUIRE(sent().size() == 2U);
    BOOST_TEST(sent()[0].count == 4096U);
    BOOST_TEST(sent()[1].count == 100U);
    s.sync();
    BOOST_TEST(page_of(big, 2 * (many - 1) * page()).resident_type == 1);
}

BOOST_AUTO_TEST_CASE(a_failure_in_a_later_chunk_says_how_many_were_issued, *precondition(since{13000})) {
    const machine here;
    const stream s;
    const auto big = managed_memory_resource().allocate(2 * many * page());
    cmm_sim_fault("cuMemPrefetchBatchAsync", 2, 2);
    try {
        prefetch(scattered(big, many), device{0}, s, {.strategy = strategy::driver_batch});
        BOOST_TEST(false);
    } catch (const out_of_memory& e) {
        BOOST_TEST(e.issued() == 4096U);
        BOOST_TEST(std::string(e.what()).find("100 ranges, behind 4096 that were issued") !=
                   std::string::npos, e.what());
    }
    s.sync();
}

BOOST_AUTO_TEST_CASE(a_last_chunk_of_one_names_its_range, *precondition(since{13000})) {
    const machine here;
    const stream s;
    const auto big = managed_memory_resource().allocate(2 * 4097 * page());
    auto ranges = scattered(big, 4097);
    std::ranges::reverse(ranges); // the last one by address is the caller's first
    cmm_sim_fault("cuMemDiscardBatchAsync", 2, 1);
    try {
        discard(ranges, s);
        BOOST_TEST(false);
    } catch (const driver_error& e) {
        BOOST_TEST((e.index() == 0U));
        BOOST_TEST(e.issued() == 4096U);
    }
    s.sync();
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(failures, world)

BOOST_AUTO_TEST_CASE(range_by_range_they_name_the_callers_index) {
    std::vector<const managed_buffer*> order{&a, &b, &c};
    std::ranges::sort(order, std::ranges::greater{}, [](const auto* x) { return x->handle(); });
    cmm_sim_fault("cuMemPrefetchAsync", 2, 1);
    try {
        prefetch({*order[0], *order[1], *order[2]}, device{0}, s, {.strategy = strategy::per_range});
        BOOST_TEST(false);
    } catch (const driver_error& e) {
        BOOST_TEST((e.index() == 1U));
        BOOST_TEST(e.issued() == 1U);
        BOOST_TEST(e.argument() == "targets");
        const std::string text = e.what();
        for (const char* word : {"prefetch: targets[1]", "cuMemPrefetchAsync@", "65536 bytes",
                                 "device:0", "behind 1 that were issued", "INVALID_VALUE (1)"})
            BOOST_TEST(text.find(word) != text.npos, text);
    }
    s.sync();
}

BOOST_AUTO_TEST_CASE(out_of_memory_has_a_kind_of_its_own) {
    cmm_sim_fault("cuMemPrefetchAsync", 1, 2);
    BOOST_CHECK_EXCEPTION(prefetch(a, device{0}, s), out_of_memory, [](const out_of_memory& e) {
        return e.kind() == error_kind::out_of_memory && e.code() == 2;
    });
}

BOOST_AUTO_TEST_CASE(work_that_was_issued_before_keeps_its_buffers) {
    {
        const holding back;
        cmm_sim_fault("cuMemPrefetchAsync", 2, 1);
        BOOST_CHECK_THROW(prefetch({a, b, c}, device{0}, s, {.strategy = strategy::per_range}),
                          driver_error);
        a.close();
        b.close();
        c.close();
        BOOST_TEST(live().managed_allocations > 0U);
        BOOST_TEST(cmm_sim_use_after_free_count() == 0U);
    }
    s.sync();
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(lost_contexts)

BOOST_AUTO_TEST_CASE(a_sticky_error_is_told_at_every_call_and_close_stays_silent) {
    driver::open(driver::simulated{});
    {
        const stream s;
        auto a = managed_memory_resource().allocate(4096);
        cmm_sim_fault("cuMemPrefetchAsync", 1, 719);
        BOOST_CHECK_THROW(prefetch(a, device{0}, s), driver_error);
        const auto is_launch_failure = [](const driver_error& e) { return e.code() == 719; };
        BOOST_CHECK_EXCEPTION(prefetch(a, device{0}, s), driver_error, is_launch_failure);
        BOOST_CHECK_EXCEPTION(a.read_mostly(true), driver_error, is_launch_failure);
        a.close();
    }
    drain();
    driver::open(driver::simulated{});
}

BOOST_AUTO_TEST_SUITE_END()
