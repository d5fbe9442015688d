// SPDX-License-Identifier: Apache-2.0
// Plans: checked and merged once, run again and again.
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/machine.hpp"

using namespace cmm;
using namespace cmm::test;
using boost::unit_test::precondition;

namespace {

struct world {
    machine here{"devices=2"};
    managed_memory_resource mr;
    stream s;
    managed_buffer a = mr.allocate(64 * kib), b = mr.allocate(64 * kib), c = mr.allocate(64 * kib),
                   d = mr.allocate(64 * kib);
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(plans, world)

BOOST_AUTO_TEST_CASE(making_one_moves_nothing) {
    cmm_sim_record_clear();
    const prefetch_plan moves({a, b}, device{0});
    const copy_plan copies({a}, {b});
    const advise_plan advices(a, advice::set_read_mostly);
    BOOST_TEST(sent_names() == "");
}

BOOST_AUTO_TEST_CASE(each_run_does_it_again) {
    prefetch_plan plan({a, b}, {device{0}, device{1}});
    for (int i = 0; i < 3; ++i) {
        prefetch({a, b}, host{}, s);
        const auto r = plan.run(s);
        s.sync();
        BOOST_TEST(r.ranges_in == 2U);
        BOOST_TEST(r.ranges_out == 2U);
        BOOST_TEST(page_of(a).resident_id == 0);
        BOOST_TEST(page_of(b).resident_id == 1);
    }
}

BOOST_AUTO_TEST_CASE(a_run_checks_and_calls_the_driver_and_no_more) {
    prefetch_plan plan(a, device{0});
    plan.run(s);
    // The current context, the capture state, the prefetch; the context is pushed and popped, since
    // the thread has none.
    BOOST_TEST(driver_calls_of([&] { plan.run(s); }) == 5U);
    set_current(device{0});
    BOOST_TEST(driver_calls_of([&] { plan.run(s); }) == 3U);
    driver::pop_context();
    s.sync();
}

BOOST_AUTO_TEST_CASE(it_is_merged_once) {
    std::vector<range> pieces;
    for (std::size_t i = 16; i-- > 0;)
        pieces.emplace_back(a.handle() + i * page(), page());
    prefetch_plan plan(pieces, device{0});
    BOOST_TEST(plan.ranges_in() == 16U);
    BOOST_TEST(plan.ranges_out() == 1U);
    BOOST_TEST(plan.run(s).calls == 1U);
    s.sync();
}

BOOST_AUTO_TEST_CASE(it_describes_itself) {
    const prefetch_plan plan({a, b}, device{0}, {.strategy = strategy::per_range});
    const auto text = plan.describe();
    for (const char* word : {"prefetch", "2 ranges in", "2 out", "131072 bytes", "cuMemPrefetchAsync"})
        BOOST_TEST(text.find(word) != text.npos, text);
}

BOOST_AUTO_TEST_CASE(copies_advice_and_discards_have_plans) {
    fill(a, 3);
    copy_plan copies({a, a}, {b, c});
    copies.run(s);
    s.sync();
    BOOST_TEST(all_bytes(b, 3));
    BOOST_TEST(all_bytes(c, 3));
    advise_plan advices({a, b}, advice::set_preferred_location, {device{0}, host{}});
    BOOST_TEST(advices.run().calls == 2U);
    BOOST_TEST((preferred_location(a) == location(device{0})));
    BOOST_TEST((preferred_location(b) == location(host{})));
    if (environment_level() >= 13000) {
        discard_prefetch_plan discards(a, device{1});
        discards.run(s);
        s.sync();
        BOOST_TEST(page_of(a).discards == 1U);
    }
}

BOOST_AUTO_TEST_CASE(below_13_0_discards_have_none, *precondition(below{13000})) {
    refuses<not_supported>([&] { discard_prefetch_plan(a, device{0}); }, {{}, {}, {"CUDA 13.0"}});
}

BOOST_AUTO_TEST_CASE(what_an_operation_refuses_its_plan_refuses) {
    const auto pinned = pinned_memory_resource().allocate(4096);
    refuses<invalid_argument>([&] { prefetch_plan({a, pinned}, device{0}); }, {"targets", 1U});
    refuses<invalid_argument>([&] { prefetch_plan(a, device{7}); }, {"locations"});
    refuses<invalid_argument>([&] { copy_plan({a, b}, {b, c}); }, {"srcs", 1U});
    refuses<invalid_argument>([&] { advise_plan(a, static_cast<advice>(9)); }, {"advice"});
    d.close();
    refuses<closed>([&] { prefetch_plan({a, d}, device{0}); }, {"targets", 1U});
}

BOOST_AUTO_TEST_CASE(a_run_refuses_what_its_stream_cannot_do) {
    set_current(device{0});
    prefetch_plan moves(a, device{0});
    copy_plan copies({a}, {b});
    {
        capture going(s.handle());
        refuses<not_supported>([&] { moves.run(s); }, {"stream"});
        BOOST_CHECK_NO_THROW(copies.run(s));
        BOOST_TEST(going.status() == 1);
        void* const graph = going.end();
        BOOST_TEST(nodes_of(graph) == 1U);
        capture::destroy(graph);
    }
    stream gone;
    gone.close();
    refuses<closed>([&] { moves.run(gone); }, {"stream"});
    driver::pop_context();
}

BOOST_AUTO_TEST_CASE(runs_go_to_any_stream) {
    prefetch_plan plan({a, b}, device{0}, {.strategy = strategy::driver_batch});
    set_current(device{0});
    const foreign_stream foreign;
    plan.run(s);
    plan.run(foreign.ref());
    plan.run(stream_ref::legacy());
    plan.run(stream_ref::per_thread());
    for (const auto& each : {stream_ref(s), foreign.ref(), stream_ref::legacy(),
                             stream_ref::per_thread()})
        synchronize(each);
    driver::pop_context();
}

BOOST_AUTO_TEST_CASE(closing_a_buffer_breaks_its_plans) {
    prefetch_plan plan({a, b, c}, device{0});
    advise_plan other({b}, advice::set_read_mostly);
    b.close();
    refuses<closed>([&] { plan.run(s); }, {"targets", 1U, {"a buffer of the plan was closed"}});
    refuses<closed>([&] { other.run(); }, {"targets", 0U});
    a.close();
    refuses<closed>([&] { plan.run(s); }, {"targets", 0U});
}

BOOST_AUTO_TEST_CASE(a_closed_buffer_of_a_copy_is_named_on_its_own_side) {
    copy_plan plan({a, b}, {c, d});
    d.close();
    refuses<closed>([&] { plan.run(s); }, {"dsts", 1U});
    b.close();
    refuses<closed>([&] { plan.run(s); }, {"srcs", 1U});
}

BOOST_AUTO_TEST_CASE(closing_frees_although_a_plan_is_there) {
    const prefetch_plan plan({a}, device{0});
    a.close();
    BOOST_TEST(live().managed_allocations == 3U);
}

BOOST_AUTO_TEST_CASE(a_plan_keeps_the_memory_of_a_destroyed_buffer) {
    std::optional<prefetch_plan> plan;
    {
        const auto temporary = mr.allocate(4096);
        plan.emplace(temporary, device{0});
    }
    BOOST_TEST(live().managed_allocations == 5U);
    BOOST_CHECK_NO_THROW(plan->run(s));
    s.sync();
    plan.reset();
    collect();
    BOOST_TEST(live().managed_allocations == 4U);
}

BOOST_AUTO_TEST_CASE(work_of_a_plan_is_waited_for) {
    std::optional<prefetch_plan> plan(std::in_place, target_list(a), location_list(device{0}));
    {
        const holding back;
        plan->run(s);
        a.close();
        BOOST_TEST(live().managed_allocations == 4U);
        plan.reset();
        BOOST_TEST(live().managed_allocations == 4U);
    }
    s.sync();
    collect();
    BOOST_TEST(live().managed_allocations == 3U);
}

BOOST_AUTO_TEST_CASE(work_of_a_destroyed_plan_and_buffer_is_waited_for) {
    {
        const holding back;
        {
            const auto temporary = mr.allocate(4096);
            prefetch_plan plan(temporary, device{0});
            plan.run(s);
        }
        BOOST_TEST(live().managed_allocations == 5U);
    }
    s.sync();
    collect();
    BOOST_TEST(live().managed_allocations == 4U);
}

BOOST_AUTO_TEST_CASE(a_failed_runs_work_is_waited_for) {
    prefetch_plan plan({a, b}, device{0}, {.strategy = strategy::per_range});
    cmm_sim_fault("cuMemPrefetchAsync", 2, 1);
    {
        const holding back;
        try {
            plan.run(s);
            BOOST_TEST(false);
        } catch (const driver_error& e) {
            BOOST_TEST(e.issued() == 1U);
            BOOST_TEST(e.index().has_value());
        }
        a.close();
        b.close();
        BOOST_TEST(live().managed_allocations > 2U);
    }
    s.sync();
}

BOOST_AUTO_TEST_CASE(a_closed_plan_says_so) {
    prefetch_plan plan(a, device{0});
    plan.close();
    plan.close();
    BOOST_TEST(plan.is_closed());
    refuses<closed>([&] { plan.run(s); }, {{}});
    refuses<closed>([&] { (void)plan.describe(); }, {{}});
    auto moved = prefetch_plan(a, device{0});
    const auto taken = std::move(moved);
    refuses<closed>([&] { moved.run(s); }, {{}});
}

BOOST_AUTO_TEST_CASE(one_plan_is_run_by_several_threads_at_once) {
    prefetch_plan moves({a, b}, device{0}, {.strategy = strategy::per_range});
    advise_plan advices({a, b}, advice::set_read_mostly);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            const stream mine;
            for (int i = 0; i < 100; ++i) {
                wrong += moves.run(mine).calls != 2;
                wrong += advices.run().calls != 2;
            }
            mine.sync();
        });
    for (auto& t : threads)
        t.join();
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(closing_waits_for_a_run_and_no_run_comes_after) {
    for (int round = 0; round < 20; ++round) {
        auto x = mr.allocate(4096), y = mr.allocate(4096);
        copy_plan plan({x}, {y});
        std::atomic<bool> stop{false};
        std::thread running([&] {
            const stream mine;
            try {
                while (!stop)
                    plan.run(mine);
            } catch (const closed& e) {
                BOOST_TEST(e.index().has_value());
            }
            mine.sync();
        });
        x.close();
        stop = true;
        running.join();
    }
}

BOOST_AUTO_TEST_CASE(closing_waits_for_a_run_into_a_graph_too) {
    for (int round = 0; round < 20; ++round) {
        auto x = mr.allocate(4096), y = mr.allocate(4096);
        copy_plan plan({x}, {y});
        std::atomic<bool> begun{false};
        std::thread running([&] {
            set_current(device{0});
            const stream mine;
            capture going(mine.handle(), capture_mode::thread_local_mode);
            try {
                for (int i = 0; i < 50; ++i) {
                    plan.run(mine);
                    begun = true;
                }
            } catch (const closed&) {
            }
            begun = true;
            capture::destroy(going.end());
            driver::pop_context();
        });
        while (!begun)
            std::this_thread::yield();
        x.close();
        running.join();
    }
    collect();
}

BOOST_AUTO_TEST_SUITE_END()
