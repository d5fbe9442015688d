// SPDX-License-Identifier: Apache-2.0
// Streams and events: cmm's own, foreign ones, and the default streams.
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/machine.hpp"

using namespace cmm;
using namespace cmm::test;
using boost::unit_test::precondition;

// A device ordinal is no stream, and null is said by name.
static_assert(!std::is_constructible_v<stream_ref, int>);
static_assert(!std::is_constructible_v<stream_ref, std::nullptr_t>);
static_assert(std::is_convertible_v<CUstream_st*, stream_ref>);
static_assert(std::is_convertible_v<const stream&, stream_ref>);
static_assert(!std::is_copy_constructible_v<stream> && std::is_nothrow_move_constructible_v<stream>);

namespace {

struct world {
    machine here;
    managed_memory_resource mr;
    managed_buffer a = mr.allocate(64 * kib), b = mr.allocate(64 * kib), c = mr.allocate(64 * kib);
    world() { set_current(device{0}); }
    ~world() { driver::pop_context(); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(streams, world)

BOOST_AUTO_TEST_CASE(a_stream_tells_of_its_work) {
    const stream s;
    BOOST_TEST(s.done());
    {
        const holding back;
        prefetch(a, device{0}, s);
        BOOST_TEST(!s.done());
    }
    s.sync();
    BOOST_TEST(s.done());
    BOOST_TEST(!s.capturing());
    BOOST_TEST(s.device().ordinal() == 0);
}

BOOST_AUTO_TEST_CASE(priorities_are_bounded_and_kept) {
    const auto bounds = stream::priorities(device{0});
    BOOST_TEST(bounds.greatest <= bounds.least);
    BOOST_TEST(stream({.priority = bounds.greatest}).priority() == bounds.greatest);
    refuses<invalid_argument>([] { stream::priorities(device{4}); }, {"device"});
    refuses<invalid_argument>([] { stream({.device = device{4}}); }, {"device"});
}

BOOST_AUTO_TEST_CASE(streams_do_not_wait_for_the_legacy_stream_unless_asked) {
    unsigned flags = 0;
    const stream apart, blocking({.blocking = true});
    raw("cuStreamGetFlags", 5050, apart.handle(), &flags);
    BOOST_TEST(flags == 1U);
    raw("cuStreamGetFlags", 5050, blocking.handle(), &flags);
    BOOST_TEST(flags == 0U);
}

BOOST_AUTO_TEST_CASE(a_closed_stream_says_so) {
    stream s;
    s.close();
    s.close();
    BOOST_TEST(s.is_closed());
    refuses<closed>([&] { s.sync(); }, {"stream"});
    refuses<closed>([&] { (void)s.done(); }, {"stream"});
    refuses<closed>([&] { (void)s.handle(); }, {"stream"});
    refuses<closed>([&] { s.record(); }, {"stream"});
    refuses<closed>([&] { synchronize(s); }, {"stream"});
}

BOOST_AUTO_TEST_CASE(moving_leaves_a_closed_stream_behind) {
    stream s, other;
    const auto handle = s.handle();
    stream moved = std::move(s);
    BOOST_TEST(moved.handle() == handle);
    BOOST_TEST(s.is_closed());
    const auto before = live().streams;
    other = std::move(moved);
    BOOST_TEST(other.handle() == handle);
    BOOST_TEST(live().streams == before - 1);
}

BOOST_AUTO_TEST_CASE(closing_lets_work_finish) {
    stream s;
    fill(a, 6);
    {
        const holding back;
        copy_to(a, b, s);
        s.close();
    }
    while (live().pending_operations != 0)
        std::this_thread::yield();
    BOOST_TEST(all_bytes(b, 6));
}

BOOST_AUTO_TEST_CASE(one_stream_waits_for_another) {
    const stream first, second;
    fill(a, 7);
    const holding back;
    copy_to(a, b, first);
    second.wait(first);
    copy_to(b, c, second);
    cmm_sim_release();
    second.sync();
    BOOST_TEST(all_bytes(c, 7));
}

BOOST_AUTO_TEST_CASE(events_mark_the_work_before_them) {
    const stream s;
    const holding back;
    prefetch(a, device{0}, s);
    const auto mark = s.record();
    BOOST_TEST(!mark.done());
    cmm_sim_release();
    mark.sync();
    BOOST_TEST(mark.done());
}

BOOST_AUTO_TEST_CASE(time_between_events_needs_timing) {
    const stream s;
    const auto first = s.record(true);
    prefetch(a, device{0}, s);
    const auto last = s.record(true);
    last.sync();
    BOOST_TEST(last.nanoseconds_since(first) >= 0.0);
    const auto untimed = s.record();
    refuses<invalid_argument>([&] { (void)untimed.nanoseconds_since(first); }, {"event"});
    refuses<invalid_argument>([&] { (void)last.nanoseconds_since(untimed); }, {"earlier"});
}

BOOST_AUTO_TEST_CASE(a_closed_event_says_so) {
    const stream s;
    auto e = s.record();
    const auto before = live().events;
    e.close();
    e.close();
    BOOST_TEST(live().events == before - 1);
    refuses<closed>([&] { e.sync(); }, {{}});
    refuses<closed>([&] { (void)e.done(); }, {{}});
    refuses<closed>([&] { s.wait(e); }, {{}});
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(foreign_streams, world)

BOOST_AUTO_TEST_CASE(a_raw_handle_is_taken_everywhere) {
    const foreign_stream s;
    fill(a, 3);
    auto* const handle = static_cast<CUstream_st*>(s.handle());
    prefetch(a, device{0}, handle);
    copy_batch(handle, {a}, {b});
    synchronize(handle);
    BOOST_TEST(all_bytes(b, 3));
    event(s.ref()).sync();
}

BOOST_AUTO_TEST_CASE(a_handle_is_not_used_after_the_call_it_came_with) {
    foreign_stream s;
    {
        const holding back;
        prefetch(a, device{0}, s.ref());
        s.destroy();
        cmm_sim_record_clear();
        a.close();
        for (const auto& call : recorded())
            BOOST_TEST(call.stream == 0U, call.entry);
        BOOST_TEST(live().managed_allocations == 3U);
    }
    drain();
    BOOST_TEST(live().managed_allocations == 2U);
}

BOOST_AUTO_TEST_CASE(a_stale_handle_is_the_drivers_error) {
    foreign_stream s;
    const auto stale = s.ref();
    s.destroy();
    BOOST_CHECK_THROW(prefetch(a, device{0}, stale), driver_error);
    BOOST_TEST(live().context_stack == 1U);
}

BOOST_AUTO_TEST_CASE(work_whose_end_cannot_be_marked_is_waited_for) {
    const foreign_stream s;
    fill(a, 4);
    cmm_sim_fault("cuEventRecord", 1, 2);
    cmm_sim_record_clear();
    copy_to(a, b, s.ref());
    BOOST_TEST(cmm_sim_calls("cuStreamSynchronize") == 1U);
    BOOST_TEST(all_bytes(b, 4));
}

BOOST_AUTO_TEST_CASE(the_per_thread_stream_is_named) {
    fill(a, 5);
    copy_batch(stream_ref::per_thread(), {a, b}, {c, mr.allocate(64 * kib)});
    prefetch({a, b}, device{0}, stream_ref::per_thread());
    synchronize(stream_ref::per_thread());
    BOOST_TEST(all_bytes(c, 5));
    BOOST_TEST(stream_ref::per_thread().is_per_thread());
    BOOST_TEST(!stream_ref::per_thread().is_legacy());
}

BOOST_AUTO_TEST_CASE(handle_zero_and_one_are_the_legacy_stream) {
    BOOST_TEST(stream_ref::from_handle(0).is_legacy());
    BOOST_TEST(stream_ref::from_handle(1).is_legacy());
    BOOST_TEST(stream_ref::from_handle(2).is_per_thread());
    BOOST_TEST(stream_ref(static_cast<CUstream_st*>(nullptr)).is_legacy());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(legacy_stream, world)

namespace {
constexpr op_options by_batch{.strategy = strategy::driver_batch};
} // namespace

BOOST_AUTO_TEST_CASE(batches_are_bridged_by_two_events, *precondition(since{13000})) {
    prefetch({a, b}, device{0}, stream_ref::legacy(), by_batch); // the bridge is made
    cmm_sim_record_clear();
    const auto r = prefetch({a, b}, host{}, stream_ref::legacy(), by_batch);
    BOOST_TEST(r.calls == 1U);
    BOOST_TEST(cmm_sim_calls("cuEventRecord") == 2U);
    BOOST_TEST(cmm_sim_calls("cuStreamWaitEvent") == 2U);
    BOOST_TEST(cmm_sim_calls("cuStreamCreateWithPriority") == 0U);
    BOOST_TEST(cmm_sim_calls("cuEventCreate") == 0U);
    const auto calls = sent();
    BOOST_REQUIRE(calls.size() == 1U);
    BOOST_TEST(calls[0].stream > 2U); // not the legacy stream, which would refuse
    synchronize(stream_ref::legacy());
}

BOOST_AUTO_TEST_CASE(a_bridged_batch_waits_for_earlier_work, *precondition(since{12080})) {
    fill(a, 9);
    const holding back;
    copy_to(a, b, stream_ref::legacy());
    copy_batch(stream_ref::legacy(), {b, a}, {c, mr.allocate(64 * kib)});
    BOOST_TEST(!all_bytes(c, 9));
    cmm_sim_release();
    synchronize(stream_ref::legacy());
    BOOST_TEST(all_bytes(c, 9));
}

BOOST_AUTO_TEST_CASE(later_work_waits_for_a_bridged_batch, *precondition(since{12080})) {
    const auto d = mr.allocate(64 * kib), e = mr.allocate(64 * kib);
    fill(a, 8);
    const holding back;
    copy_batch(stream_ref::legacy(), {a, a}, {b, d});
    copy_to(b, c, stream_ref::legacy());
    const stream blocking({.blocking = true});
    copy_to(b, e, blocking);
    cmm_sim_release();
    synchronize(stream_ref::legacy());
    blocking.sync();
    BOOST_TEST(all_bytes(c, 8));
    BOOST_TEST(all_bytes(e, 8));
}

BOOST_AUTO_TEST_CASE(single_ranges_go_to_the_legacy_stream_itself) {
    cmm_sim_record_clear();
    prefetch(a, device{0}, stream_ref::legacy());
    BOOST_TEST(cmm_sim_calls("cuEventRecord") == 0U);
    BOOST_TEST(cmm_sim_calls("cuStreamWaitEvent") == 0U);
    synchronize(stream_ref::legacy());
}

BOOST_AUTO_TEST_CASE(closing_waits_for_a_bridged_batch, *precondition(since{13000})) {
    {
        const holding back;
        prefetch({a, b}, device{0}, stream_ref::legacy(), by_batch);
        a.close();
        b.close();
        BOOST_TEST(live().managed_allocations == 3U);
    }
    drain();
    BOOST_TEST(live().managed_allocations == 1U);
}

BOOST_AUTO_TEST_CASE(a_failed_bridged_batch_keeps_order_and_buffers, *precondition(since{12080})) {
    // A later chunk fails: the first one is on its way and still ordered before the legacy stream.
    constexpr std::size_t many = 4096 + 1;
    auto from = mr.allocate(2 * many * 16), to = mr.allocate(2 * many * 16);
    std::vector<range> srcs, dsts;
    for (std::size_t i = 0; i < many; ++i) {
        srcs.emplace_back(from.handle() + 2 * i * 16, 16);
        dsts.emplace_back(to.handle() + 2 * i * 16, 16);
    }
    cmm_sim_fault("cuMemcpyBatchAsync", 2, 1);
    {
        const holding back;
        BOOST_CHECK_THROW(copy_batch(stream_ref::legacy(), srcs, dsts), driver_error);
        BOOST_TEST(raw("cuStreamQuery", 2000, static_cast<void*>(nullptr)) == 600);
    }
    synchronize(stream_ref::legacy());
    BOOST_TEST(live().pending_operations == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
