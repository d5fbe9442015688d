// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace machine_test;

namespace {

constexpr unsigned nonblocking = 1;

/// What ran, in the order in which it did.
struct order {
    std::mutex mutex;
    std::string text;
    void add(char name) {
        const std::lock_guard guard(mutex);
        text += name;
    }
    std::function<void()> step(char name) {
        return [this, name] { add(name); };
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(streams)

BOOST_AUTO_TEST_CASE(work_is_done_after_the_call_has_returned) {
    const machine on;
    const pointer memory = on.managed(page);
    const opaque stream = on.stream();
    bytes_at(memory)[0] = 1;
    {
        const holding back;
        BOOST_TEST(on.fill(memory, 7, page, stream) == success);
        BOOST_TEST(on.query(stream) == not_ready);
        BOOST_TEST(live().pending_operations == 1u);
        BOOST_TEST(bytes_at(memory)[0] == 1);
    }
    BOOST_TEST(on.sync(stream) == success);
    BOOST_TEST(on.query(stream) == success);
    BOOST_TEST(bytes_at(memory)[0] == 7);
}

BOOST_AUTO_TEST_CASE(one_stream_keeps_its_order) {
    const machine on;
    order ran;
    const opaque stream = on.stream();
    const std::array steps{ran.step('a'), ran.step('b'), ran.step('c')};
    for (const auto& step : steps)
        BOOST_TEST(on.host_function(stream, step) == success);
    BOOST_TEST(on.sync(stream) == success);
    BOOST_TEST(ran.text == "abc");
}

BOOST_AUTO_TEST_CASE(streams_run_side_by_side) {
    const machine on;
    std::atomic<bool> second_ran = false;
    const opaque first = on.stream(nonblocking), second = on.stream(nonblocking);
    const std::function<void()> waits = [&] {
        while (!second_ran)
            std::this_thread::yield();
    };
    const std::function<void()> runs = [&] { second_ran = true; };
    BOOST_TEST(on.host_function(first, waits) == success);
    BOOST_TEST(on.host_function(second, runs) == success);
    BOOST_TEST(on.sync(first) == success);
    BOOST_TEST(on.sync(second) == success);
}

BOOST_AUTO_TEST_CASE(the_legacy_stream_and_blocking_streams_wait_for_each_other) {
    const machine on;
    order ran;
    const opaque one = on.stream(), two = on.stream();
    const auto a = ran.step('a'), b = ran.step('b'), c = ran.step('c'), d = ran.step('d');
    {
        const holding back;
        on.host_function(one, a);
        on.host_function(two, b);
        on.host_function(driver::legacy, c);
        on.host_function(one, d);
    }
    BOOST_TEST(on.sync(one) == success);
    BOOST_TEST((ran.text == "abcd" || ran.text == "bacd"), ran.text);
}

BOOST_AUTO_TEST_CASE(a_nonblocking_stream_does_not_wait_for_the_legacy_one) {
    const machine on;
    std::atomic<bool> released = false;
    const opaque free = on.stream(nonblocking);
    const std::function<void()> blocks = [&] {
        while (!released)
            std::this_thread::yield();
    };
    const std::function<void()> releases = [&] { released = true; };
    BOOST_TEST(on.host_function(driver::legacy, blocks) == success);
    BOOST_TEST(on.host_function(free, releases) == success);
    BOOST_TEST(on.sync(driver::legacy) == success);
}

BOOST_AUTO_TEST_CASE(every_thread_has_a_default_stream_of_its_own) {
    const machine on;
    std::uint64_t here = 0, there = 0;
    BOOST_TEST(on("cuStreamGetId", 12000, driver::per_thread, &here) == success);
    const opaque context = on.primary();
    std::thread([&] {
        on("cuCtxSetCurrent", 4000, context);
        on("cuStreamGetId", 12000, driver::per_thread, &there);
        std::function<void()> nothing = [] {};
        on.host_function(driver::per_thread, nothing);
        on.sync(driver::per_thread);
    }).join();
    BOOST_TEST(here != there);
}

BOOST_AUTO_TEST_CASE(a_destroyed_stream_finishes_its_work) {
    const machine on;
    const pointer memory = on.managed(page);
    const opaque stream = on.stream();
    {
        const holding back;
        BOOST_TEST(on.fill(memory, 9, page, stream) == success);
        BOOST_TEST(on("cuStreamDestroy", 4000, stream) == success);
        BOOST_TEST(on.sync(stream) == invalid_handle);
    }
    BOOST_TEST(on("cuCtxSynchronize", 2000) == success);
    BOOST_TEST(bytes_at(memory)[page - 1] == 9);
    BOOST_TEST(cmm_sim_use_after_free_count() == 0u);
}

BOOST_AUTO_TEST_CASE(a_host_function_may_not_call_the_driver) {
    const machine on;
    int answered = -1;
    const std::function<void()> calls = [&] {
        int count = 0;
        answered = on("cuDeviceGetCount", 2000, &count);
    };
    const opaque stream = on.stream();
    BOOST_TEST(on.host_function(stream, calls) == success);
    BOOST_TEST(on.sync(stream) == success);
    BOOST_TEST(answered == not_permitted);
}

BOOST_AUTO_TEST_CASE(an_event_has_happened_once_the_work_before_it_is_done) {
    const machine on;
    const opaque stream = on.stream(), mark = on.event(), last = on.event();
    const std::function<void()> nothing = [] {};
    BOOST_TEST(on("cuEventQuery", 2000, mark) == success);
    {
        const holding back;
        on.host_function(stream, nothing);
        BOOST_TEST(on.record(mark, stream) == success);
        BOOST_TEST(on("cuEventQuery", 2000, mark) == not_ready);
    }
    BOOST_TEST(on("cuEventSynchronize", 2000, mark) == success);
    BOOST_TEST(on("cuEventQuery", 2000, mark) == success);
    float between = -1;
    BOOST_TEST(on("cuEventElapsedTime", 2000, &between, mark, last) == invalid_handle);
    BOOST_TEST(on.record(last, stream) == success);
    BOOST_TEST(on.sync(stream) == success);
    BOOST_TEST(on("cuEventElapsedTime", 2000, &between, mark, last) == success);
    BOOST_TEST(between >= 0);
}

BOOST_AUTO_TEST_CASE(an_event_orders_one_stream_after_another) {
    const machine on;
    order ran;
    const opaque one = on.stream(nonblocking), two = on.stream(nonblocking), mark = on.event();
    const std::function<void()> slow = [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        ran.add('a');
    };
    const auto after = ran.step('b');
    on.host_function(one, slow);
    BOOST_TEST(on.record(mark, one) == success);
    BOOST_TEST(on.wait(two, mark) == success);
    on.host_function(two, after);
    BOOST_TEST(on.sync(two) == success);
    BOOST_TEST(ran.text == "ab");
}

BOOST_AUTO_TEST_CASE(an_event_of_another_context_cannot_be_recorded) {
    const machine on("devices=2");
    const opaque mark = on.event();
    on.use(on.primary(1));
    const opaque elsewhere = on.stream();
    BOOST_TEST(on.record(mark, elsewhere) == invalid_handle);
    BOOST_TEST(on.wait(elsewhere, mark) == success);
}

BOOST_AUTO_TEST_CASE(asynchronous_work_can_be_slowed_down) {
    const machine on("copy_delay=30000000");
    const opaque stream = on.stream();
    const pointer memory = on.managed(page);
    const auto before = std::chrono::steady_clock::now();
    on.fill(memory, 1, page, stream);
    BOOST_TEST(on.sync(stream) == success);
    BOOST_TEST((std::chrono::steady_clock::now() - before >= std::chrono::milliseconds(30)));
}

BOOST_AUTO_TEST_CASE(priorities_are_kept_in_their_range) {
    const machine on;
    int least = 1, greatest = 1, kept = 1;
    BOOST_TEST(on("cuCtxGetStreamPriorityRange", 5050, &least, &greatest) == success);
    BOOST_TEST(least == 0);
    BOOST_TEST(greatest < 0);
    opaque made = nullptr;
    BOOST_TEST(on("cuStreamCreateWithPriority", 5050, &made, nonblocking, -99) == success);
    BOOST_TEST(on("cuStreamGetPriority", 5050, made, &kept) == success);
    BOOST_TEST(kept == greatest);
}

BOOST_AUTO_TEST_CASE(a_stale_or_wild_handle_is_found_out) {
    const machine on;
    const opaque gone = on.stream();
    BOOST_TEST(on("cuStreamDestroy", 4000, gone) == success);
    BOOST_TEST(on("cuStreamDestroy", 4000, gone) == invalid_handle);
    BOOST_TEST(on.query(gone) == invalid_handle);
    BOOST_TEST(on.query(reinterpret_cast<opaque>(0x123456)) == invalid_handle);
    BOOST_TEST(on("cuEventQuery", 2000, gone) == invalid_handle);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(seeds)

namespace {

/// The order in which six independent streams' work runs.
std::string run_with(const std::string& config) {
    const machine on(config);
    order ran;
    std::vector<std::function<void()>> steps;
    for (char name = 'a'; name <= 'f'; ++name)
        steps.push_back(ran.step(name));
    std::vector<opaque> all;
    {
        const holding back;
        for (const auto& step : steps) {
            all.push_back(on.stream(nonblocking));
            on.host_function(all.back(), step);
        }
    }
    for (const opaque each : all)
        on.sync(each);
    return ran.text;
}

} // namespace

BOOST_AUTO_TEST_CASE(one_seed_gives_one_order) {
    const std::string first = run_with("seed=7");
    for (int again = 0; again < 5; ++again)
        BOOST_TEST(run_with("seed=7") == first);
}

BOOST_AUTO_TEST_CASE(another_seed_gives_another_order) {
    std::set<std::string> orders;
    for (int seed = 1; seed <= 8; ++seed)
        orders.insert(run_with("seed=" + std::to_string(seed)));
    BOOST_TEST(orders.size() > 4u);
}

BOOST_AUTO_TEST_CASE(no_seed_breaks_the_order_that_was_asked_for) {
    for (int seed = 1; seed <= 8; ++seed) {
        const machine on("seed=" + std::to_string(seed));
        order ran;
        const auto a = ran.step('a'), b = ran.step('b'), c = ran.step('c');
        const opaque one = on.stream(nonblocking), two = on.stream(nonblocking), mark = on.event();
        {
            const holding back;
            on.host_function(one, a);
            on.record(mark, one);
            on.wait(two, mark);
            on.host_function(two, b);
            on.host_function(two, c);
        }
        on.sync(two);
        BOOST_TEST(ran.text == "abc");
    }
}

BOOST_AUTO_TEST_SUITE_END()
