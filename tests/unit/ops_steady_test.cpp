// SPDX-License-Identifier: Apache-2.0
// What an operation costs once it has been run before: driver calls, and no heap allocation.
#include <string>
#include <vector>

#include "support/allocations.hpp"

#include "support/machine.hpp"

using namespace cmm;
using namespace cmm::test;
using boost::unit_test::precondition;

namespace {

struct world {
    machine here{"devices=2"};
    managed_memory_resource mr;
    stream s;
    managed_buffer big = mr.allocate(4 * mib), other = mr.allocate(4 * mib);
    std::vector<managed_buffer> many, targets; // 64 each, scattered
    std::vector<location> places;

    world() {
        set_current(device{0});
        for (std::size_t i = 0; i < 64; ++i) {
            many.push_back(big.slice(2 * i * page(), page()));
            targets.push_back(other.slice(2 * i * page(), page()));
            places.emplace_back(device{static_cast<int>(i % 2)});
        }
    }
    ~world() { driver::pop_context(); }

    // How often a body allocates when it has been run before. The simulated driver allocates for its
    // record and its queues: what is counted is the calling thread's share outside of the driver's
    // library, which has an operator new of its own.
    template <class Body> std::size_t steady_allocations(Body body) {
        for (int i = 0; i < 3; ++i)
            body();
        s.sync();
        const auto count = allocations_of(body);
        s.sync();
        return count;
    }
    template <class Body> std::size_t steady_calls(Body body) {
        for (int i = 0; i < 3; ++i)
            body();
        s.sync();
        const auto count = driver_calls_of(body);
        s.sync();
        return count;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(steady_state, world)

BOOST_AUTO_TEST_CASE(the_counter_counts) {
    static void* volatile seen; // the compiler must not leave the allocation out
    BOOST_TEST(allocations_of([] {
                   seen = ::operator new(1);
                   ::operator delete(seen);
               }) == 1U);
}

BOOST_AUTO_TEST_CASE(a_prefetch_allocates_nothing) {
    BOOST_TEST(steady_allocations([&] { prefetch(many[0], device{0}, s); }) == 0U);
}

BOOST_AUTO_TEST_CASE(a_prefetch_of_64_allocates_nothing) {
    BOOST_TEST(steady_allocations([&] { prefetch(many, device{0}, s); }) == 0U);
    BOOST_TEST(steady_allocations([&] { prefetch(many, places, s); }) == 0U);
    BOOST_TEST(steady_allocations([&] {
                   prefetch(many, host{}, s, {.strategy = strategy::driver_batch});
               }) == 0U);
}

BOOST_AUTO_TEST_CASE(advice_allocates_nothing) {
    BOOST_TEST(steady_allocations([&] { advise(many[0], advice::set_read_mostly); }) == 0U);
    BOOST_TEST(steady_allocations([&] {
                   advise(many, advice::set_preferred_location, device{1});
               }) == 0U);
}

BOOST_AUTO_TEST_CASE(a_discard_allocates_nothing, *precondition(since{13000})) {
    BOOST_TEST(steady_allocations([&] { discard(many, s); }) == 0U);
    BOOST_TEST(steady_allocations([&] { discard_prefetch(many, device{0}, s); }) == 0U);
}

BOOST_AUTO_TEST_CASE(a_copy_batch_of_64_allocates_nothing) {
    BOOST_TEST(steady_allocations([&] { copy_batch(s, many, targets); }) == 0U);
    const std::vector<copy_options> each(64, {.src_access_order = src_access_order::any});
    BOOST_TEST(steady_allocations([&] { copy_batch(s, many, targets, each); }) == 0U);
    BOOST_TEST(steady_allocations([&] { copy_to(many[0], targets[0], s); }) == 0U);
}

BOOST_AUTO_TEST_CASE(properties_allocate_nothing) {
    many[0].accessed_by() = {device{0}, host{}};
    BOOST_TEST(steady_allocations([&] { (void)many[0].read_mostly(); }) == 0U);
    BOOST_TEST(steady_allocations([&] { (void)many[0].preferred_location(); }) == 0U);
    BOOST_TEST(steady_allocations([&] { (void)many[0].last_prefetch_location(); }) == 0U);
    BOOST_TEST(steady_allocations([&] { many[0].read_mostly(true); }) == 0U);
    BOOST_TEST(steady_allocations([&] { many[0].preferred_location(device{1}); }) == 0U);
    BOOST_TEST(steady_allocations([&] { (void)many[0].accessed_by().contains(device{0}); }) == 0U);
    BOOST_TEST(steady_allocations([&] { many[0].accessed_by() = {device{0}, host{}}; }) == 0U);
}

BOOST_AUTO_TEST_CASE(a_plan_run_allocates_nothing) {
    prefetch_plan moves(many, places);
    copy_plan copies(many, targets);
    advise_plan advices(many, advice::set_read_mostly);
    BOOST_TEST(steady_allocations([&] { moves.run(s); }) == 0U);
    BOOST_TEST(steady_allocations([&] { copies.run(s); }) == 0U);
    BOOST_TEST(steady_allocations([&] { advices.run(); }) == 0U);
}

BOOST_AUTO_TEST_CASE(plain_ranges_allocate_nothing) {
    std::vector<range> ranges;
    for (const auto& b : many)
        ranges.push_back(b.extent());
    BOOST_TEST(steady_allocations([&] { prefetch(ranges, device{0}, s); }) == 0U);
}

BOOST_AUTO_TEST_CASE(a_property_is_one_query) {
    BOOST_TEST(driver_calls_of([&] { (void)big.read_mostly(); }) == 1U);
    BOOST_TEST(driver_calls_of([&] { (void)big.preferred_location(); }) == 1U);
    BOOST_TEST(driver_calls_of([&] { (void)big.last_prefetch_location(); }) == 1U);
    BOOST_TEST(driver_calls_of([&] { (void)big.accessed_by().contains(host{}); }) == 1U);
    BOOST_TEST(driver_calls_of([&] { (void)big.accessed_by().size(); }) == 1U);
    BOOST_TEST(driver_calls_of([&] { big.accessed_by() = {}; }) == 1U);
    for (const auto& b : big.accessed_by())
        (void)b;
}

BOOST_AUTO_TEST_CASE(a_move_is_context_capture_state_and_the_call) {
    const auto r = prefetch(big, device{0}, s);
    BOOST_TEST(r.calls == 1U);
    BOOST_TEST(steady_calls([&] { prefetch(big, device{0}, s); }) == 3U);
    BOOST_TEST(steady_calls([&] { copy_to(big, other, s); }) == 3U);
    if (environment_level() >= 13000) {
        BOOST_TEST(steady_calls([&] { discard(many, s); }) == 3U);
        BOOST_TEST(steady_calls([&] { discard_prefetch(many, device{0}, s); }) == 3U);
    }
    if (environment_level() >= 12080)
        BOOST_TEST(steady_calls([&] { copy_batch(s, many, targets); }) == 3U);
}

BOOST_AUTO_TEST_CASE(memory_of_others_costs_one_pointer_query_per_allocation) {
    std::vector<range> ranges;
    for (const auto& b : many)
        ranges.push_back(b.extent());
    const auto own = driver_calls_of(
        [&] { prefetch(many, device{0}, s, {.strategy = strategy::per_range}); });
    const auto foreign = driver_calls_of(
        [&] { prefetch(ranges, device{0}, s, {.strategy = strategy::per_range}); });
    BOOST_TEST(foreign == own + 1);
    BOOST_TEST(cmm_sim_calls("cuPointerGetAttributes") == 1U);
    s.sync();
}

BOOST_AUTO_TEST_CASE(advice_is_its_calls_and_the_guards) {
    // The context, the capture mode there and back, and the advice.
    BOOST_TEST(driver_calls_of([&] { big.read_mostly(true); }) <= 5U);
    BOOST_TEST(cmm_sim_calls("cuMemAdvise") == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
