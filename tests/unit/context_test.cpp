// SPDX-License-Identifier: Apache-2.0
// Contexts: found where there is none, and always put back.
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "support/machine.hpp"

using namespace cmm;
using namespace cmm::test;
using boost::unit_test::precondition;

namespace {

void* primary(int ordinal) {
    driver::context_handle out = nullptr;
    driver::primary_context(ordinal, out);
    driver::release_primary_context(ordinal);
    return out;
}

// Makes a device's primary context current for a scope.
struct current_device {
    explicit current_device(int ordinal) { set_current(device{ordinal}); }
    ~current_device() { driver::pop_context(); }
};

struct world {
    machine here{"devices=3"};
    managed_memory_resource mr{{.device = device{0}}};
    stream on_0{{.device = device{0}}}, on_1{{.device = device{1}}};
    managed_buffer a = mr.allocate(64 * kib), b = mr.allocate(64 * kib), c = mr.allocate(64 * kib);

    // Everything that has a stream or none.
    std::vector<std::function<void()>> operations() {
        std::vector<std::function<void()>> out{
            [this] { prefetch(a, device{0}, on_1); },
            [this] { prefetch({a, b}, device{2}, on_0); },
            [this] { copy_batch(on_1, {a}, {b}); },
            [this] { copy_batch(on_0, {a, b}, {c, mr.allocate(64 * kib)}); },
            [this] { advise(a, advice::set_accessed_by, device{2}); },
            [this] { a.accessed_by() = {device{1}}; },
            [this] { a.accessed_by().clear(); },
            [this] { (void)a.preferred_location(); },
            [this] { (void)accessed_by(a); },
            [this] { mr.allocate(4096).close(); },
            [] { managed_memory_resource({.device = device{2}}).allocate(4096); },
            [] { stream({.device = device{2}}).sync(); },
            [this] { on_1.sync(); },
            [this] { (void)on_1.done(); },
            [this] { on_1.wait(on_0); },
            [] { (void)stream::priorities(device{1}); },
            [] { (void)memory_info(device{2}); },
            [] { device_memory_resource(device{1}).allocate(4096); },
            [] { pinned_memory_resource().allocate(4096); },
            [this] { prefetch_plan({a, b}, device{0}).run(on_1); },
            [this] { advise_plan(a, advice::set_read_mostly).run(); }};
        if (environment_level() >= 13000)
            out.emplace_back([this] { discard(c, on_1); });
        return out;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(contexts, world)

BOOST_AUTO_TEST_CASE(a_thread_without_a_context_stays_without_one) {
    BOOST_TEST(current_context() == nullptr);
    for (const auto& operation : operations()) {
        operation();
        BOOST_TEST(current_context() == nullptr);
        BOOST_TEST(live().context_stack == 0U);
    }
    on_0.sync();
    on_1.sync();
}

BOOST_AUTO_TEST_CASE(the_current_context_is_the_same_afterwards) {
    const current_device scope(2);
    const auto before = current_context();
    for (const auto& operation : operations()) {
        operation();
        BOOST_TEST(current_context() == before);
        BOOST_TEST(live().context_stack == 1U);
    }
    on_0.sync();
    on_1.sync();
}

BOOST_AUTO_TEST_CASE(it_is_put_back_after_errors_too) {
    const current_device scope(2);
    const auto before = current_context();
    for (const auto& operation : operations()) {
        for (const char* entry :
             {"cuMemPrefetchAsync", "cuMemPrefetchBatchAsync", "cuMemAdvise", "cuMemcpyAsync",
              "cuMemcpyBatchAsync", "cuMemDiscardBatchAsync", "cuMemAllocManaged", "cuMemAlloc",
              "cuMemHostAlloc", "cuStreamCreateWithPriority", "cuMemRangeGetAttribute",
              "cuStreamIsCapturing", "cuStreamQuery", "cuEventRecord"})
            cmm_sim_fault(entry, 1, 2);
        try {
            operation();
        } catch (const error&) {
        }
        cmm_sim_clear_faults();
        BOOST_TEST(current_context() == before);
        BOOST_TEST(live().context_stack == 1U);
    }
    on_0.sync();
    on_1.sync();
}

BOOST_AUTO_TEST_CASE(refusals_of_cmm_put_it_back) {
    const current_device scope(2);
    BOOST_CHECK_THROW(prefetch({a, a.slice(0, 10)}, {device{0}, device{1}}, on_1), invalid_argument);
    BOOST_CHECK_THROW(copy_batch(on_1, {a, b}, {b, c}), invalid_argument);
    BOOST_TEST(live().context_stack == 1U);
}

BOOST_AUTO_TEST_CASE(a_stream_of_another_device_runs_in_its_own_context) {
    const current_device scope(0);
    prefetch(a, device{1}, on_1);
    copy_batch(on_1, {a}, {b});
    on_1.sync();
    BOOST_TEST(page_of(a).resident_id == 1);
}

BOOST_AUTO_TEST_CASE(a_foreign_stream_of_another_device_works_too) {
    driver::stream_handle raw_stream = nullptr;
    {
        const current_device scope(1);
        BOOST_TEST(raw("cuStreamCreate", 2000, &raw_stream, 1U) == 0);
    }
    const current_device scope(0);
    prefetch({a, b}, device{1}, static_cast<CUstream_st*>(raw_stream));
    synchronize(static_cast<CUstream_st*>(raw_stream));
    BOOST_TEST(page_of(b).resident_id == 1);
    BOOST_TEST(live().context_stack == 1U);
    raw("cuStreamDestroy", 4000, raw_stream);
}

BOOST_AUTO_TEST_CASE(memory_is_freed_on_a_thread_that_has_no_context) {
    std::thread([this] {
        BOOST_TEST(current_context() == nullptr);
        a.close();
        b.close();
    }).join();
    BOOST_TEST(live().managed_allocations == 1U);
}

BOOST_AUTO_TEST_CASE(a_context_that_the_user_made_is_used) {
    void* made = nullptr;
    BOOST_REQUIRE(raw("cuCtxCreate", 3020, &made, 0U, 0) == 0);
    {
        const stream s;
        prefetch({a, b}, device{0}, s);
        s.sync();
        const auto x = managed_memory_resource().allocate(4096);
        prefetch(x, device{0}, stream_ref::legacy());
        synchronize(stream_ref::legacy());
        BOOST_TEST(current_context() == made);
    }
    drain();
    BOOST_TEST(raw("cuCtxDestroy", 4000, made) == 0);
}

BOOST_AUTO_TEST_CASE(set_current_replaces_the_context_as_the_runtime_does) {
    set_current(device{1});
    BOOST_TEST(current_context() == primary(1));
    set_current(device{2});
    BOOST_TEST(current_context() == primary(2));
    BOOST_TEST(live().context_stack == 1U);
    set_current(device{2});
    BOOST_TEST(live().context_stack == 1U);
    driver::pop_context();
    refuses<invalid_argument>([] { set_current(device{3}); },
                              {"device", {}, {"device:3 is not there", "0 to 2"}});
}

BOOST_AUTO_TEST_CASE(defaults_follow_the_current_context) {
    const current_device scope(2);
    BOOST_TEST(stream().device().ordinal() == 2);
    BOOST_TEST(managed_memory_resource().device().ordinal() == 2);
    BOOST_TEST(managed_memory_resource().allocate(4096).device().ordinal() == 2);
    BOOST_TEST(stream({.device = device{1}}).device().ordinal() == 1);
    BOOST_TEST(device_count() == 3);
}

BOOST_AUTO_TEST_CASE(a_primary_context_is_retained_once) {
    cmm_sim_record_clear();
    for (int i = 0; i < 3; ++i)
        managed_memory_resource({.device = device{2}}).allocate(4096);
    BOOST_TEST(cmm_sim_calls("cuDevicePrimaryCtxRetain") <= 1U);
}

BOOST_AUTO_TEST_CASE(memory_information_is_of_the_device_asked) {
    const auto on_device = device_memory_resource(device{1}).allocate(1 * mib);
    const auto used = memory_info(device{1}), unused = memory_info(device{2});
    BOOST_TEST(used.total_bytes - used.free_bytes >= 1 * mib);
    BOOST_TEST(unused.total_bytes == unused.free_bytes);
}

BOOST_AUTO_TEST_SUITE_END()
