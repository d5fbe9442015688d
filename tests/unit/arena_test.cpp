// SPDX-License-Identifier: Apache-2.0
// The arena and the other resources: where memory comes from and goes back to.
#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "support/machine.hpp"

using namespace cmm;
using namespace cmm::test;

namespace {

struct world {
    machine here{"devices=2"};
    stream s;
    managed_memory_resource arena = managed_memory_resource::arena({.slab_bytes = 2 * mib});
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(arenas, world)

BOOST_AUTO_TEST_CASE(consecutive_pieces_touch_and_merge) {
    const auto a = arena.allocate(page()), b = arena.allocate(page()), c = arena.allocate(page());
    BOOST_TEST(b.handle() == a.handle() + page());
    BOOST_TEST(c.handle() == b.handle() + page());
    const auto r = prefetch({a, b, c}, device{0}, s);
    BOOST_TEST(r.ranges_out == 1U);
    BOOST_TEST(live().managed_allocations == 1U);
    s.sync();
}

BOOST_AUTO_TEST_CASE(a_piece_begins_on_a_page_and_has_the_size_asked_for) {
    const auto a = arena.allocate(1), b = arena.allocate(page() + 1), c = arena.allocate(1);
    BOOST_TEST(a.size() == 1U);
    for (const auto* each : {&a, &b, &c})
        BOOST_TEST(each->handle() % page() == 0U);
    BOOST_TEST(c.handle() == b.handle() + 2 * page());
    BOOST_TEST(arena.stats().pieces == 3U);
    BOOST_TEST(arena.stats().piece_bytes == 4 * page());
}

BOOST_AUTO_TEST_CASE(slabs_are_taken_as_they_are_needed) {
    BOOST_TEST(arena.is_arena());
    BOOST_TEST(arena.stats().slabs == 0U);
    const auto a = arena.allocate(1 * mib);
    BOOST_TEST(arena.stats().slabs == 1U);
    BOOST_TEST(arena.stats().slab_bytes == 2 * mib);
    const auto large = arena.allocate(3 * mib);
    BOOST_TEST(arena.stats().slabs == 2U);
    BOOST_TEST(arena.stats().slab_bytes == 6 * mib);
    BOOST_TEST(a.handle() % (2 * mib) == 0U);
}

BOOST_AUTO_TEST_CASE(slabs_of_different_allocations_never_merge) {
    const auto a = arena.allocate(2 * mib), b = arena.allocate(2 * mib);
    BOOST_TEST(prefetch({a, b}, device{0}, s).ranges_out == 2U);
    s.sync();
}

BOOST_AUTO_TEST_CASE(a_piece_is_reused_when_its_work_is_done) {
    auto a = arena.allocate(page());
    const auto address = a.handle();
    {
        const holding back;
        prefetch(a, device{0}, s);
        a.close();
        BOOST_TEST(arena.allocate(page()).handle() != address);
    }
    s.sync();
    BOOST_TEST(arena.allocate(page()).handle() == address);
}

BOOST_AUTO_TEST_CASE(advice_does_not_outlive_its_piece) {
    auto a = arena.allocate(2 * page());
    const auto address = a.handle();
    a.read_mostly(true);
    a.preferred_location(device{1});
    a.accessed_by() = {device{0}, host{}};
    a.slice(0, page()).accessed_by().add(device{1});
    a.close();
    const auto b = arena.allocate(2 * page());
    BOOST_REQUIRE(b.handle() == address);
    for (const auto offset : {std::size_t{0}, page()}) {
        const auto p = page_of(b, offset);
        BOOST_TEST(p.read_mostly == 0);
        BOOST_TEST(p.preferred_type == 0);
        BOOST_TEST(p.accessed_by_devices == 0U);
        BOOST_TEST(p.accessed_by_host == 0);
    }
}

BOOST_AUTO_TEST_CASE(advice_given_to_a_plain_range_is_reset_too) {
    auto a = arena.allocate(page());
    const auto address = a.handle();
    advise(a.extent(), advice::set_read_mostly);
    a.close();
    const auto b = arena.allocate(page());
    BOOST_REQUIRE(b.handle() == address);
    BOOST_TEST(page_of(b).read_mostly == 0);
}

BOOST_AUTO_TEST_CASE(advice_given_by_a_plan_is_reset_too) {
    auto a = arena.allocate(page());
    const auto address = a.handle();
    {
        advise_plan plan(a, advice::set_read_mostly);
        plan.run();
    }
    a.close();
    const auto b = arena.allocate(page());
    BOOST_REQUIRE(b.handle() == address);
    BOOST_TEST(page_of(b).read_mostly == 0);
}

BOOST_AUTO_TEST_CASE(a_piece_whose_advice_cannot_be_reset_is_handed_to_nobody) {
    auto a = arena.allocate(page());
    const auto address = a.handle();
    a.read_mostly(true);
    cmm_sim_fault("cuMemAdvise", 1, 1);
    a.close();
    BOOST_TEST(arena.allocate(page()).handle() != address);
}

BOOST_AUTO_TEST_CASE(a_batch_touches_in_the_order_given) {
    const auto pieces = arena.allocate_batch({100, page(), 1, 3 * page()});
    BOOST_REQUIRE(pieces.size() == 4U);
    BOOST_TEST(pieces[1].handle() == pieces[0].handle() + page());
    BOOST_TEST(pieces[2].handle() == pieces[1].handle() + page());
    BOOST_TEST(pieces[3].handle() == pieces[2].handle() + page());
    BOOST_TEST(pieces[3].size() == 3 * page());
}

BOOST_AUTO_TEST_CASE(a_batch_is_had_whole_or_not_at_all) {
    const auto limited =
        managed_memory_resource::arena({.slab_bytes = 2 * mib, .limit_bytes = 2 * mib});
    BOOST_CHECK_THROW(limited.allocate_batch({1 * mib, 1 * mib, page()}), out_of_memory);
    BOOST_TEST(limited.stats().pieces == 0U);
    BOOST_TEST(limited.allocate_batch({1 * mib, 1 * mib}).size() == 2U);
    BOOST_CHECK_THROW(limited.allocate_batch({SIZE_MAX / 2, SIZE_MAX / 2}), invalid_argument);
}

BOOST_AUTO_TEST_CASE(the_limit_is_kept_and_told) {
    const auto limited =
        managed_memory_resource::arena({.slab_bytes = 2 * mib, .limit_bytes = 4 * mib});
    const auto a = limited.allocate(2 * mib), b = limited.allocate(2 * mib);
    BOOST_CHECK_EXCEPTION(limited.allocate(1), out_of_memory, [](const out_of_memory& e) {
        return std::string(e.what()).find("at most 4194304 bytes") != std::string::npos &&
               e.argument() == "bytes";
    });
}

BOOST_AUTO_TEST_CASE(trim_gives_free_slabs_back) {
    auto a = arena.allocate(2 * mib), b = arena.allocate(2 * mib);
    BOOST_TEST(arena.trim() == 0U);
    a.close();
    BOOST_TEST(arena.trim() == 2 * mib);
    BOOST_TEST(live().managed_allocations == 1U);
    BOOST_TEST(arena.stats().slabs == 1U);
    b.close();
    BOOST_TEST(arena.trim() == 2 * mib);
    BOOST_TEST(live().managed_allocations == 0U);
}

BOOST_AUTO_TEST_CASE(an_arena_lives_as_long_as_its_buffers) {
    managed_buffer kept;
    {
        const auto gone = managed_memory_resource::arena({.slab_bytes = 2 * mib});
        kept = gone.allocate(page());
    }
    fill(kept, 1);
    BOOST_TEST(all_bytes(kept, 1));
    kept.close();
    BOOST_TEST(live().managed_allocations == 0U);
}

BOOST_AUTO_TEST_CASE(copies_of_a_resource_share_the_arena) {
    const auto same = arena;
    const auto a = arena.allocate(page()), b = same.allocate(page());
    BOOST_TEST(b.handle() == a.handle() + page());
}

BOOST_AUTO_TEST_CASE(an_arena_works_without_a_context_and_beside_another) {
    std::thread([this] {
        auto a = arena.allocate(page());
        a.read_mostly(true);
        a.close();
        arena.trim();
    }).join();
    BOOST_TEST(live().managed_allocations == 0U);
}

BOOST_AUTO_TEST_CASE(a_slab_size_of_zero_is_refused) {
    refuses<invalid_argument>([] { managed_memory_resource::arena({.slab_bytes = 0}); },
                              {"slab_bytes"});
    refuses<invalid_argument>([] { managed_memory_resource::arena({.device = device{7}}); },
                              {"device"});
}

BOOST_AUTO_TEST_CASE(threads_share_an_arena) {
    std::vector<std::thread> threads;
    std::atomic<int> mixed_up{0};
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 200; ++i) {
                const auto x = arena.allocate(page());
                *x.as_span<int>().data() = t;
                std::this_thread::yield();
                mixed_up += *x.as_span<int>().data() != t;
            }
        });
    for (auto& t : threads)
        t.join();
    BOOST_TEST(mixed_up == 0);
    BOOST_TEST(arena.stats().pieces == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(direct_resources, world)

BOOST_AUTO_TEST_CASE(one_allocation_is_one_call) {
    const managed_memory_resource mr;
    cmm_sim_record_clear();
    auto a = mr.allocate(100);
    BOOST_TEST(sent_names() == "cuMemAllocManaged@0");
    a.close();
    BOOST_TEST(cmm_sim_calls("cuMemFree") == 1U);
    BOOST_TEST(!mr.is_arena());
    BOOST_TEST(mr.stats().slabs == 0U);
    BOOST_TEST(mr.trim() == 0U);
}

BOOST_AUTO_TEST_CASE(a_batch_is_one_allocation_in_slices) {
    auto pieces = managed_memory_resource().allocate_batch({100, page() + 1, 5});
    BOOST_TEST(live().managed_allocations == 1U);
    BOOST_TEST(pieces[1].handle() == pieces[0].handle() + page());
    BOOST_TEST(pieces[2].handle() == pieces[1].handle() + 2 * page());
    BOOST_TEST(pieces[2].size() == 5U);
    pieces.resize(1);
    BOOST_TEST(live().managed_allocations == 1U);
    pieces.clear();
    BOOST_TEST(live().managed_allocations == 0U);
    BOOST_TEST(managed_memory_resource().allocate_batch({}).empty());
}

BOOST_AUTO_TEST_CASE(attachments_are_checked) {
    for (const auto a : {attach::global, attach::host, attach::single})
        BOOST_CHECK_NO_THROW(managed_memory_resource({.attached = a}).allocate(4096));
    refuses<invalid_argument>([] { managed_memory_resource({.attached = attach{3}}); },
                              {"attached", {}, {"3 is no attachment"}});
    refuses<invalid_argument>([] { managed_memory_resource({.device = device{2}}); }, {"device"});
    refuses<invalid_argument>([] { device_memory_resource{device{2}}; }, {"device"});
}

BOOST_AUTO_TEST_CASE(allocating_on_a_stream_is_the_same) {
    BOOST_TEST(managed_memory_resource().allocate(4096, s).size() == 4096U);
}

BOOST_AUTO_TEST_CASE(more_than_there_is_is_out_of_memory) {
    BOOST_CHECK_THROW(managed_memory_resource().allocate(std::numeric_limits<std::size_t>::max() / 2),
                      out_of_memory);
    BOOST_CHECK_THROW(arena.allocate(SIZE_MAX - 5), out_of_memory);
}

BOOST_AUTO_TEST_SUITE_END()
