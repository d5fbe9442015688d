// SPDX-License-Identifier: Apache-2.0
// Managed buffers: properties, and the live set of accessors.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "support/machine.hpp"

using namespace cmm;
using namespace cmm::test;

namespace {

struct world {
    machine here{"devices=4"};
    managed_memory_resource mr;
    managed_buffer a = mr.allocate(64 * kib);
};

std::vector<location> items(const accessed_by_set& s) { return {s.begin(), s.end()}; }

} // namespace

BOOST_FIXTURE_TEST_SUITE(managed_buffers, world)

BOOST_AUTO_TEST_CASE(properties_are_read_and_written) {
    a.read_mostly(true);
    BOOST_TEST(a.read_mostly());
    a.read_mostly(false);
    BOOST_TEST(!a.read_mostly());
    a.preferred_location(device{3});
    BOOST_TEST((a.preferred_location() == location(device{3})));
    a.preferred_location(std::nullopt);
    BOOST_TEST(!a.preferred_location().has_value());
}

BOOST_AUTO_TEST_CASE(nothing_is_remembered_beside_the_driver) {
    advise(a.extent(), advice::set_read_mostly);
    BOOST_TEST(a.read_mostly());
    raw("cuMemAdvise", 8000, static_cast<unsigned long long>(a.handle()), a.size(), 2, 0);
    BOOST_TEST((a.read_mostly() == (page_of(a).read_mostly == 1)));
}

BOOST_AUTO_TEST_CASE(a_slice_is_a_managed_buffer_of_its_own_pages) {
    auto part = a.slice(0, 4096);
    part.read_mostly(true);
    BOOST_TEST(part.read_mostly());
    BOOST_TEST(!a.read_mostly());
    BOOST_TEST(part.is_managed());
}

BOOST_AUTO_TEST_CASE(members_work_on_closed_buffers_as_functions_do) {
    const stream s;
    a.close();
    refuses<closed>([&] { a.read_mostly(); }, {"buffer"});
    refuses<closed>([&] { a.read_mostly(true); }, {"targets", 0U});
    refuses<closed>([&] { a.preferred_location(device{0}); }, {"targets", 0U});
    refuses<closed>([&] { a.accessed_by(); }, {"buffer"});
    refuses<closed>([&] { a.prefetch(device{0}, s); }, {"targets", 0U});
    refuses<closed>([&] { a.slice(0, 1); }, {"buffer"});
}

BOOST_AUTO_TEST_CASE(managed_memory_of_others_is_borrowed) {
    bool gone = false;
    {
        const auto owner = std::shared_ptr<int>(new int, [&](int* p) {
            gone = true;
            delete p;
        });
        auto borrowed = managed_buffer::from_handle(a.data(), a.size(), owner);
        borrowed.read_mostly(true);
        BOOST_TEST(a.read_mostly());
        BOOST_TEST(borrowed.handle() == a.handle());
    }
    BOOST_TEST(gone);
    BOOST_TEST(live().managed_allocations == 1U);
}

BOOST_AUTO_TEST_CASE(other_memory_is_not_borrowed_as_managed) {
    const auto pinned = pinned_memory_resource().allocate(4096);
    refuses<invalid_argument>([&] { managed_buffer::from_handle(pinned.data(), 4096); },
                              {"address", {}, {"pinned host memory, 4096 bytes", "as a buffer"}});
    refuses<invalid_argument>([&] { managed_buffer::from_handle(nullptr, 4096); }, {"address"});
    BOOST_TEST(managed_buffer::from_handle(nullptr, 0).size() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(accessors, world)

BOOST_AUTO_TEST_CASE(the_set_is_live) {
    const auto set = a.accessed_by();
    BOOST_TEST(set.empty());
    advise(a, advice::set_accessed_by, device{2});
    BOOST_TEST(set.size() == 1U);
    BOOST_TEST(set.contains(device{2}));
    BOOST_TEST(!set.contains(device{1}));
    BOOST_TEST(!set.contains(host{}));
}

BOOST_AUTO_TEST_CASE(it_goes_over_devices_by_ordinal_and_then_the_host) {
    a.accessed_by() = {host{}, device{3}, device{0}};
    const std::vector<location> expected{device{0}, device{3}, host{}};
    BOOST_TEST((items(a.accessed_by()) == expected));
    BOOST_TEST((a.accessed_by().items() == expected));
}

BOOST_AUTO_TEST_CASE(an_iteration_sees_the_set_as_it_was_when_it_began) {
    a.accessed_by() = {device{0}, device{1}};
    auto set = a.accessed_by();
    std::size_t seen = 0;
    for (const auto& each : set) {
        set.discard(each);
        ++seen;
    }
    BOOST_TEST(seen == 2U);
    BOOST_TEST(set.empty());
}

BOOST_AUTO_TEST_CASE(adding_and_discarding_are_idempotent) {
    auto set = a.accessed_by();
    set.add(device{1});
    cmm_sim_record_clear();
    set.add(device{1});
    set.discard(device{2});
    BOOST_TEST(cmm_sim_calls("cuMemAdvise") == 0U);
    set.discard(device{1});
    BOOST_TEST(cmm_sim_calls("cuMemAdvise") == 1U);
    BOOST_TEST(set.empty());
}

BOOST_AUTO_TEST_CASE(only_the_differences_reach_the_driver) {
    a.accessed_by() = {device{0}, device{1}, host{}};
    cmm_sim_record_clear();
    a.accessed_by() = {device{1}, device{2}, host{}};
    const auto calls = sent();
    BOOST_REQUIRE(calls.size() == 2U);
    BOOST_TEST((calls[0].advice == 6 && calls[0].location_id == 0)); // unset device 0
    BOOST_TEST((calls[1].advice == 5 && calls[1].location_id == 2)); // set device 2
    BOOST_TEST((items(a.accessed_by()) == std::vector<location>{device{1}, device{2}, host{}}));
}

BOOST_AUTO_TEST_CASE(an_unchanged_assignment_is_one_query) {
    set_current(device{0});
    a.accessed_by() = {device{0}, host{}};
    cmm_sim_record_clear();
    a.accessed_by() = {host{}, device{0}, device{0}};
    BOOST_TEST(cmm_sim_record_count() == 1U);
    BOOST_TEST(cmm_sim_calls("cuMemRangeGetAttribute") == 1U);
    driver::pop_context();
}

BOOST_AUTO_TEST_CASE(clearing_takes_everything_out) {
    a.accessed_by() = {device{0}, device{3}, host{}};
    a.accessed_by().clear();
    BOOST_TEST(a.accessed_by().empty());
    BOOST_TEST(page_of(a).accessed_by_devices == 0U);
    BOOST_TEST(page_of(a).accessed_by_host == 0);
}

BOOST_AUTO_TEST_CASE(a_set_is_assigned_from_another_buffers) {
    const auto b = mr.allocate(4096);
    b.accessed_by() = {device{1}, host{}};
    a.accessed_by() = b.accessed_by();
    BOOST_TEST((items(a.accessed_by()) == items(b.accessed_by())));
    const auto same = a.accessed_by();
    a.accessed_by() = same;
    BOOST_TEST(a.accessed_by().size() == 2U);
}

BOOST_AUTO_TEST_CASE(every_element_is_checked_before_anything_changes) {
    a.accessed_by() = {device{0}};
    refuses<invalid_argument>([&] { a.accessed_by() = {device{1}, device{9}}; },
                              {"locations", 1U, {"device:9 is not there"}});
    refuses<invalid_argument>([&] { a.accessed_by() = {device{1}, host{}, host::numa(0)}; },
                              {"locations", 2U, {"host_numa:0", "devices and the host"}});
    BOOST_TEST((items(a.accessed_by()) == std::vector<location>{device{0}}));
}

BOOST_AUTO_TEST_CASE(what_was_changed_is_put_back_when_the_driver_refuses) {
    a.accessed_by() = {device{0}, host{}};
    cmm_sim_fault("cuMemAdvise", 2, 1);
    try {
        a.accessed_by() = {device{1}, device{2}};
        BOOST_TEST(false);
    } catch (const driver_error& e) {
        BOOST_TEST(e.issued() == 1U);
        BOOST_TEST(e.argument() == "locations");
        BOOST_TEST(std::string(e.what()).find("set_accessed_by, device:1") != std::string::npos,
                   e.what());
    }
    BOOST_TEST((items(a.accessed_by()) == std::vector<location>{device{0}, host{}}));
}

BOOST_AUTO_TEST_CASE(a_numa_node_is_never_in_it) {
    a.accessed_by() = {host{}};
    BOOST_TEST(!a.accessed_by().contains(host::numa(0)));
    BOOST_TEST(!a.accessed_by().contains(host::numa_current()));
    BOOST_TEST(!a.accessed_by().contains(device{63}));
    BOOST_TEST(!a.accessed_by().contains(device{64}));
}

BOOST_AUTO_TEST_CASE(the_set_of_a_closed_buffer_is_closed) {
    auto set = a.accessed_by();
    a.close();
    refuses<closed>([&] { set.size(); }, {"buffer"});
    refuses<closed>([&] { set.add(device{0}); }, {"buffer"});
    refuses<closed>([&] { set = {device{0}}; }, {"buffer"});
    refuses<closed>([&] { items(set); }, {"buffer"});
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(accessors_of_a_large_machine)

BOOST_AUTO_TEST_CASE(all_64_devices_can_be_in_the_set) {
    const machine here("devices=64");
    const auto all = managed_memory_resource().allocate(4096);
    std::vector<location> everything;
    for (int i = 0; i < 64; ++i)
        everything.emplace_back(device{i});
    everything.emplace_back(host{});
    all.accessed_by().assign(everything);
    BOOST_TEST((items(all.accessed_by()) == everything));
    all.accessed_by().clear();
    BOOST_TEST(all.accessed_by().empty());
}

BOOST_AUTO_TEST_SUITE_END()
