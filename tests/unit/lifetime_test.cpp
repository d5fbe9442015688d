// SPDX-License-Identifier: Apache-2.0
// Work in flight keeps its memory: closing retires, finishing frees.
#include <atomic>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/machine.hpp"

using namespace cmm;
using namespace cmm::test;
namespace data = boost::unit_test::data;
using boost::unit_test::precondition;

namespace {

struct world {
    machine here;
    managed_memory_resource mr;
    stream s;
    managed_buffer a = mr.allocate(64 * kib), b = mr.allocate(64 * kib);
    world() { set_current(device{0}); }
    ~world() { driver::pop_context(); }
    std::uint64_t managed() const { return live().managed_allocations; }
};

enum class on { own, foreign, legacy, per_thread };
constexpr on kinds[] = {on::own, on::foreign, on::legacy, on::per_thread};
std::ostream& operator<<(std::ostream& out, on o) {
    static constexpr const char* names[] = {"own", "foreign", "legacy", "per thread"};
    return out << names[static_cast<int>(o)];
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(lifetimes, world)

BOOST_DATA_TEST_CASE(a_closed_buffer_waits_for_its_work, data::make(kinds), kind) {
    const foreign_stream foreign;
    const stream_ref used = kind == on::own       ? stream_ref(s)
                            : kind == on::foreign ? foreign.ref()
                            : kind == on::legacy  ? stream_ref::legacy()
                                                  : stream_ref::per_thread();
    {
        const holding back;
        prefetch(a, device{0}, used);
        copy_to(a, b, used);
        a.close();
        b.close();
        BOOST_TEST(a.is_closed());
        BOOST_TEST(managed() == 2U);
        BOOST_TEST(collect() == 2U);
    }
    synchronize(used);
    BOOST_TEST(collect() == 0U);
    BOOST_TEST(managed() == 0U);
}

BOOST_AUTO_TEST_CASE(a_destroyed_buffer_waits_too) {
    {
        const holding back;
        {
            const auto gone = mr.allocate(4096);
            prefetch(gone, device{0}, s);
        }
        BOOST_TEST(managed() == 3U);
    }
    s.sync();
    collect();
    BOOST_TEST(managed() == 2U);
}

BOOST_AUTO_TEST_CASE(an_idle_buffer_is_freed_at_once) {
    prefetch(a, device{0}, s);
    s.sync();
    a.close();
    BOOST_TEST(managed() == 1U);
}

BOOST_AUTO_TEST_CASE(finished_work_of_a_closed_stream_is_known) {
    {
        const holding back;
        prefetch(a, device{0}, s);
        s.close();
        a.close();
        BOOST_TEST(managed() == 2U);
    }
    drain();
    BOOST_TEST(managed() == 1U);
}

BOOST_AUTO_TEST_CASE(every_stream_that_used_it_is_waited_for) {
    const stream second, third;
    const holding back;
    prefetch(a, device{0}, s);
    prefetch(a, host{}, second);
    copy_to(a, b, third);
    a.close();
    cmm_sim_release();
    s.sync();
    second.sync();
    third.sync();
    collect();
    BOOST_TEST(managed() == 1U);
}

BOOST_AUTO_TEST_CASE(it_waits_for_all_that_its_stream_holds_when_it_is_closed) {
    prefetch(a, device{0}, s);
    s.sync();
    const holding back;
    prefetch(b, device{0}, s); // another buffer
    a.close();
    BOOST_TEST(managed() == 2U); // marked behind all that the stream held when it was closed
    cmm_sim_release();
    s.sync();
    collect();
    BOOST_TEST(managed() == 1U);
}

BOOST_AUTO_TEST_CASE(close_with_a_stream_waits_for_work_that_cmm_did_not_issue) {
    const foreign_stream kernels;
    {
        const holding back;
        BOOST_TEST(raw("cuMemcpyAsync", 4000, static_cast<unsigned long long>(a.handle()),
                       static_cast<unsigned long long>(b.handle()), std::size_t{4096},
                       kernels.handle()) == 0);
        a.close(kernels.ref());
        b.close(kernels.ref());
        BOOST_TEST(a.is_closed());
        BOOST_TEST(managed() == 2U);
    }
    drain();
    BOOST_TEST(managed() == 0U);
}

BOOST_AUTO_TEST_CASE(close_with_a_closed_stream_is_refused_and_closes_nothing) {
    s.close();
    refuses<closed>([&] { a.close(s); }, {"stream"});
    BOOST_TEST(!a.is_closed());
}

BOOST_AUTO_TEST_CASE(a_slices_work_keeps_the_whole) {
    {
        const holding back;
        {
            const auto part = a.slice(0, 4096);
            prefetch(part, device{0}, s);
        }
        a.close();
        BOOST_TEST(managed() == 2U);
    }
    s.sync();
    collect();
    BOOST_TEST(managed() == 1U);
}

BOOST_AUTO_TEST_CASE(allocating_frees_what_has_finished) {
    {
        const holding back;
        prefetch(a, device{0}, s);
        a.close();
    }
    s.sync();
    BOOST_TEST(managed() == 2U);
    const auto next = mr.allocate(4096);
    BOOST_TEST(managed() == 2U); // one went, one came
}

BOOST_AUTO_TEST_CASE(drain_waits_and_frees_all) {
    {
        const holding back;
        prefetch({a, b}, device{0}, s);
        a.close();
        b.close();
    }
    drain();
    BOOST_TEST(managed() == 0U);
}

BOOST_AUTO_TEST_CASE(one_slow_stream_does_not_hold_up_the_others) {
    const stream slow;
    prefetch(a, device{0}, s);
    s.sync();
    const holding back;
    for (int i = 0; i < 4; ++i)
        copy_to(mr.allocate(4096), mr.allocate(4096), slow);
    BOOST_TEST(managed() == 10U);
    a.close();
    BOOST_TEST(managed() == 9U);
    cmm_sim_release();
    slow.sync();
    collect();
    BOOST_TEST(managed() == 1U);
}

BOOST_AUTO_TEST_CASE(a_thousand_temporaries_do_not_pile_up) {
    for (int i = 0; i < 1000; ++i) {
        auto temporary = mr.allocate(4096);
        prefetch(temporary, device{0}, s);
        if (i % 100 == 99)
            s.sync();
    }
    s.sync();
    collect();
    drain();
    BOOST_TEST(managed() == 2U);
    BOOST_TEST(live().events < 200U);
}

BOOST_AUTO_TEST_CASE(many_foreign_uses_of_one_buffer_stay_few) {
    const foreign_stream foreign;
    for (int i = 0; i < 500; ++i)
        prefetch(a, device{0}, foreign.ref());
    synchronize(foreign.ref());
    BOOST_TEST(live().events < 600U);
    for (int i = 0; i < 2000; ++i) {
        prefetch(a, device{0}, foreign.ref());
        synchronize(foreign.ref());
    }
    BOOST_TEST(live().events < 1500U); // finished marks are dropped and their events reused
}

BOOST_AUTO_TEST_CASE(threads_use_close_and_collect_at_once) {
    std::atomic<int> failures{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            try {
                const stream mine;
                for (int i = 0; i < 100; ++i) {
                    auto x = mr.allocate(4096), y = mr.allocate(4096);
                    prefetch({x, y}, device{0}, mine);
                    copy_to(x, y, mine);
                    copy_to(a.slice(0, 4096), y, mine);
                    x.close();
                    collect();
                }
                mine.sync();
            } catch (const error&) {
                ++failures;
            }
        });
    for (auto& t : threads)
        t.join();
    drain();
    BOOST_TEST(failures == 0);
    BOOST_TEST(managed() == 2U);
}

BOOST_AUTO_TEST_CASE(a_free_that_the_driver_refuses_is_told_in_the_trace) {
    std::string seen;
    trace::set_sink(
        [](const trace::event& e, void* user) noexcept {
            if (e.operation == "free")
                *static_cast<std::string*>(user) = e.error;
        },
        &seen);
    cmm_sim_fault("cuMemFree", 1, 1);
    auto x = mr.allocate(4096);
    const auto at = x.handle();
    x.close();
    trace::set_sink(nullptr, nullptr);
    BOOST_TEST(seen == "CUDA_ERROR_INVALID_VALUE");
    raw("cuMemFree", 3020, static_cast<unsigned long long>(at));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(out_of_memory_again)

BOOST_AUTO_TEST_CASE(what_is_retired_is_freed_before_the_second_try) {
    const machine here("managed_limit=1048576");
    const managed_memory_resource mr;
    const stream s;
    auto a = mr.allocate(1 * mib);
    prefetch(a, device{0}, s);
    {
        const holding back;
        copy_to(a.slice(0, 64), a.slice(128, 64), s);
        a.close();
    }
    const auto b = mr.allocate(1 * mib);
    BOOST_TEST(live().managed_allocations == 1U);
}

BOOST_AUTO_TEST_CASE(the_collector_is_asked_once) {
    const machine here("managed_limit=1048576");
    const managed_memory_resource mr;
    struct garbage {
        std::vector<managed_buffer> kept;
        int asked = 0;
    } garbage;
    garbage.kept.push_back(mr.allocate(1 * mib));
    set_collector(
        [](void* user) {
            auto& g = *static_cast<struct garbage*>(user);
            ++g.asked;
            g.kept.clear();
        },
        &garbage);
    const auto b = mr.allocate(1 * mib);
    BOOST_TEST(garbage.asked == 1);
    BOOST_CHECK_EXCEPTION(mr.allocate(1), out_of_memory, [](const out_of_memory& e) {
        return std::string(e.what()).find("cuMemAllocManaged(1 bytes) on device:0") !=
                   std::string::npos &&
               std::string(e.what()).find("close buffers") != std::string::npos;
    });
    BOOST_TEST(garbage.asked == 2);
    set_collector(nullptr, nullptr);
}

BOOST_AUTO_TEST_CASE(other_errors_are_not_tried_again) {
    const machine here;
    cmm_sim_fault("cuMemAllocManaged", 1, 1);
    cmm_sim_record_clear();
    BOOST_CHECK_THROW(managed_memory_resource().allocate(4096), driver_error);
    BOOST_TEST(cmm_sim_calls("cuMemAllocManaged") == 1U);
}

BOOST_AUTO_TEST_CASE(pinned_and_device_memory_do_the_same) {
    const machine here;
    cmm_sim_fault("cuMemHostAlloc", 1, 2);
    BOOST_CHECK_NO_THROW(pinned_memory_resource().allocate(4096));
    cmm_sim_fault("cuMemAlloc", 1, 2);
    BOOST_CHECK_NO_THROW(device_memory_resource().allocate(4096));
    cmm_sim_fault("cuMemAlloc", 1, 2);
    cmm_sim_fault("cuMemAlloc", 2, 2);
    BOOST_CHECK_THROW(device_memory_resource().allocate(4096), out_of_memory);
}

BOOST_AUTO_TEST_SUITE_END()
