// SPDX-License-Identifier: Apache-2.0
// Machines that cannot do what is asked: without concurrentManagedAccess (WSL, Windows, Tegra,
// virtual GPUs), and what the hint policy makes of it.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <string>
#include <vector>

#include "support/machine.hpp"

using namespace cmm;
using namespace cmm::test;
using boost::unit_test::precondition;

namespace {

struct warnings {
    std::vector<std::string> texts;

    warnings() {
        set_warning_handler(
            [](std::string_view, std::string_view text, void* user) {
                static_cast<warnings*>(user)->texts.emplace_back(text);
            },
            this);
    }
};

struct traced {
    std::vector<std::string> ignored;
    traced() {
        trace::set_sink(
            [](const trace::event& e, void* user) noexcept {
                static_cast<traced*>(user)->ignored.emplace_back(e.ignored);
            },
            this);
    }
    ~traced() { trace::set_sink(nullptr, nullptr); }
};

struct without {
    machine here{"concurrent=0"};
    managed_memory_resource mr;
    stream s;
    managed_buffer a = mr.allocate(64 * kib), b = mr.allocate(64 * kib);
};

// Device 1 lacks the attribute, device 0 has it.
struct half {
    machine here{"devices=2;concurrent=1,0"};
    managed_memory_resource mr;
    stream s;
    managed_buffer a = mr.allocate(64 * kib), b = mr.allocate(64 * kib);
};

constexpr op_options warn{.hints = hint_policy::warn}, ignore{.hints = hint_policy::ignore};

} // namespace

BOOST_FIXTURE_TEST_SUITE(without_concurrent_managed_access, without)

BOOST_AUTO_TEST_CASE(a_prefetch_to_the_device_says_what_is_missing) {
    refuses<not_supported>([&] { prefetch(a, device{0}, s); },
                           {"locations", {}, {"device:0", "concurrentManagedAccess", "hint_policy"}});
}

BOOST_AUTO_TEST_CASE(a_paired_location_is_named_by_its_index) {
    refuses<not_supported>([&] { prefetch({a, b}, {host{}, device{0}}, s); }, {"locations", 1U});
}

BOOST_AUTO_TEST_CASE(preferring_the_device_is_refused_and_the_host_works) {
    refuses<not_supported>([&] { a.preferred_location(device{0}); },
                           {"locations", {}, {"device:0", "concurrentManagedAccess"}});
    a.preferred_location(host{});
    BOOST_TEST((a.preferred_location() == location(host{})));
    a.preferred_location(std::nullopt);
    BOOST_TEST(!a.preferred_location().has_value());
}

BOOST_AUTO_TEST_CASE(an_accessor_device_is_refused_and_the_host_works) {
    refuses<not_supported>([&] { advise(a, advice::set_accessed_by, device{0}); }, {"locations"});
    refuses<not_supported>([&] { a.accessed_by().add(device{0}); }, {"locations"});
    refuses<not_supported>([&] { a.accessed_by() = {host{}, device{0}}; },
                           {"locations", 1U, {"device:0", "concurrentManagedAccess"}});
    a.accessed_by() = {host{}};
    BOOST_TEST(a.accessed_by().contains(host{}));
}

BOOST_AUTO_TEST_CASE(read_mostly_needs_nothing) {
    a.read_mostly(true);
    BOOST_TEST(a.read_mostly());
}

BOOST_AUTO_TEST_CASE(a_stream_there_takes_no_prefetch_at_all) {
    refuses<not_supported>([&] { prefetch(a, host{}, s); },
                           {"stream", {}, {"device:0", "concurrentManagedAccess"}});
}

BOOST_AUTO_TEST_CASE(discards_name_the_device, *precondition(since{13000})) {
    const told what{"device", {}, {"concurrentManagedAccess", "device:0"}};
    refuses<not_supported>([&] { discard(a, s); }, what);
    refuses<not_supported>([&] { discard_prefetch(a, host{}, s); }, what);
    refuses<not_supported>([&] { prefetch_plan(a, device{0}); }, {"locations"});
    refuses<not_supported>([&] { discard_prefetch_plan(a, host{}); }, what);
}

BOOST_AUTO_TEST_CASE(copies_work) {
    fill(a, 4);
    copy_to(a, b, s);
    s.sync();
    BOOST_TEST(all_bytes(b, 4));
}

BOOST_AUTO_TEST_CASE(it_can_be_asked_before) {
    std::string why;
    BOOST_TEST(!supports(device{0}, operation::prefetch, &why));
    BOOST_TEST(why.find("concurrentManagedAccess") != why.npos);
    BOOST_TEST(!supports(device{0}, operation::advise));
    BOOST_TEST(!supports(device{0}, operation::discard));
    BOOST_TEST(!supports(device{0}, operation::batches));
    BOOST_TEST(supports(device{0}, operation::managed_memory));
    BOOST_TEST(supports(device{0}, operation::copy_batch));
}

BOOST_AUTO_TEST_CASE(the_host_keeps_off_memory_in_use) {
    prefetch(a, device{0}, s, ignore); // not even issued
    fill(a, 1);
    {
        const holding back;
        copy_to(a, b, s);
        refuses<not_supported>([&] { b.as_span<char>(); },
                               {"buffer", {}, {"in flight", "synchronize"}});
    }
    s.sync();
    BOOST_TEST(all_bytes(b, 1));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(hint_policies, without)

BOOST_AUTO_TEST_CASE(ignoring_leaves_the_target_out) {
    const warnings given;
    cmm_sim_record_clear();
    const auto r = prefetch(a, device{0}, s, ignore);
    BOOST_TEST(r.ignored == 1U);
    BOOST_TEST(r.ranges_in == 0U);
    BOOST_TEST(sent_names() == "");
    BOOST_TEST(given.texts.empty());
}

BOOST_AUTO_TEST_CASE(a_warning_is_given_once) {
    const warnings given;
    for (int i = 0; i < 3; ++i)
        BOOST_TEST(prefetch(a, device{0}, s, warn).ignored == 1U);
    BOOST_REQUIRE(given.texts.size() == 1U);
    BOOST_TEST(given.texts[0].find("device:0") != std::string::npos);
    advise(a, advice::set_preferred_location, device{0}, warn);
    BOOST_TEST(given.texts.size() == 2U);
}

BOOST_AUTO_TEST_CASE(strict_is_the_default_and_can_be_named) {
    refuses<not_supported>([&] { prefetch(a, device{0}, s, {.hints = hint_policy::strict}); },
                           {"locations"});
}

BOOST_AUTO_TEST_CASE(the_process_can_choose_for_all) {
    set_default_hint_policy(hint_policy::ignore);
    BOOST_CHECK_NO_THROW(a.preferred_location(device{0}));
    BOOST_CHECK_NO_THROW(a.prefetch(device{0}, s));
    BOOST_CHECK_NO_THROW(a.accessed_by() = {device{0}});
    refuses<not_supported>([&] { prefetch(a, device{0}, s, {.hints = hint_policy::strict}); },
                           {"locations"});
    set_default_hint_policy(std::nullopt);
    BOOST_TEST(!default_hint_policy().has_value());
}

BOOST_AUTO_TEST_CASE(discards_can_be_ignored_too, *precondition(since{13000})) {
    fill(a, 3);
    BOOST_TEST(discard(a, s, ignore).ignored == 1U);
    BOOST_TEST(discard_prefetch(a, host{}, s, ignore).ignored == 1U);
    BOOST_TEST(all_bytes(a, 3));
}

BOOST_AUTO_TEST_CASE(an_ignored_hint_shows_in_the_trace) {
    const traced seen;
    prefetch(a, device{0}, s, ignore);
    BOOST_REQUIRE(seen.ignored.size() == 1U);
    BOOST_TEST(seen.ignored[0] != "");
}

BOOST_AUTO_TEST_CASE(mistakes_are_no_hints) {
    refuses<invalid_argument>([&] { prefetch(a, device{5}, s, ignore); }, {"locations"});
    a.close();
    refuses<closed>([&] { prefetch(a, device{0}, s, ignore); }, {"targets", 0U});
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(one_device_without, half)

BOOST_AUTO_TEST_CASE(prefetches_to_the_other_device_go_range_by_range) {
    cmm_sim_record_clear();
    const auto r = prefetch({a, b}, device{0}, s, {.strategy = strategy::driver_batch});
    BOOST_TEST(r.calls == 2U);
    if (environment_level() >= 13000)
        BOOST_TEST(r.reason == "a batch needs concurrentManagedAccess on every device");
    s.sync();
    BOOST_TEST(page_of(a).resident_type == 1);
}

BOOST_AUTO_TEST_CASE(only_the_targets_for_that_device_are_left_out) {
    const auto r = prefetch({a, b}, {device{1}, device{0}}, s, ignore);
    BOOST_TEST(r.ignored == 1U);
    BOOST_TEST(r.ranges_in == 1U);
    s.sync();
    BOOST_TEST(page_of(a).prefetches == 0U);
    BOOST_TEST(page_of(b).resident_type == 1);
}

BOOST_AUTO_TEST_CASE(discards_are_refused_for_the_whole_machine, *precondition(since{13000})) {
    refuses<not_supported>([&] { discard(a, s); }, {"device", {}, {"device:1"}});
}

BOOST_AUTO_TEST_CASE(what_works_where_can_be_asked) {
    std::string why;
    BOOST_TEST(supports(device{0}, operation::prefetch, &why));
    BOOST_TEST(why == "");
    BOOST_TEST(!supports(device{1}, operation::prefetch));
    BOOST_TEST(!supports(device{0}, operation::batches));
    refuses<invalid_argument>([&] { supports(device{2}, operation::prefetch); }, {"device"});
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(hints_of_copies)

BOOST_AUTO_TEST_CASE(overlap_warns_once_where_no_gpu_is_integrated) {
    const machine here;
    const stream s;
    const managed_memory_resource mr;
    const auto a = mr.allocate(4096), b = mr.allocate(4096);
    const warnings given;
    const copy_options overlapping{.overlap_mode = overlap_mode::prefer_overlap_with_compute};
    fill(a, 2);
    for (int i = 0; i < 3; ++i)
        copy_batch(s, {a}, {b}, overlapping);
    s.sync();
    BOOST_REQUIRE(given.texts.size() == 1U);
    BOOST_TEST(given.texts[0].find("integrated") != std::string::npos);
    BOOST_TEST(all_bytes(b, 2));
    refuses<not_supported>(
        [&] { copy_batch(s, {a}, {b}, overlapping, {.hints = hint_policy::strict}); },
        {"options.overlap_mode"});
}

BOOST_AUTO_TEST_CASE(overlap_says_nothing_where_a_gpu_is_integrated) {
    const machine here("integrated=1");
    const stream s;
    const managed_memory_resource mr;
    const auto a = mr.allocate(4096), b = mr.allocate(4096);
    const warnings given;
    copy_batch(s, {a}, {b}, copy_options{.overlap_mode = overlap_mode::prefer_overlap_with_compute});
    s.sync();
    BOOST_TEST(given.texts.empty());
}

BOOST_AUTO_TEST_CASE(location_hints_are_ignored_without_the_batch, *precondition(below{12080})) {
    const machine here;
    const stream s;
    const managed_memory_resource mr;
    const auto a = mr.allocate(4096), b = mr.allocate(4096);
    const warnings given;
    const copy_options hinted{.dst_location_hint = device{0}};
    BOOST_CHECK_NO_THROW(copy_batch(s, {a}, {b}, hinted));
    BOOST_TEST(given.texts.empty());
    refuses<not_supported>([&] { copy_batch(s, {a}, {b}, hinted, {.hints = hint_policy::strict}); },
                           {"options.location_hint", {}, {"CUDA 12.8"}});
    copy_batch(s, {a}, {b}, hinted, {.hints = hint_policy::warn});
    BOOST_TEST(given.texts.size() == 1U);
    const traced seen;
    copy_batch(s, {a}, {b}, hinted);
    BOOST_REQUIRE(seen.ignored.size() == 1U);
    BOOST_TEST(seen.ignored[0].find("location hint") != std::string::npos);
    s.sync();
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(without_managed_memory)

BOOST_AUTO_TEST_CASE(allocating_says_so) {
    const machine here("managed=0");
    const managed_memory_resource mr;
    refuses<not_supported>([&] { mr.allocate(4096); }, {"device", {}, {"no managed memory"}});
    refuses<not_supported>([&] { managed_memory_resource::arena().allocate(4096); }, {"device"});
    BOOST_TEST(!supports(device{0}, operation::managed_memory));
}

BOOST_AUTO_TEST_SUITE_END()
