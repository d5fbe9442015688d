// SPDX-License-Identifier: Apache-2.0
// Advice: what it takes, what it tells, what it takes back.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <string>
#include <vector>

#include "support/machine.hpp"

using namespace cmm;
using namespace cmm::test;
namespace data = boost::unit_test::data;

namespace {

struct world {
    machine here{"devices=3"};
    managed_memory_resource mr;
    managed_buffer a = mr.allocate(64 * kib), b = mr.allocate(64 * kib), c = mr.allocate(64 * kib);
};

constexpr advice all_advice[] = {
    advice::set_read_mostly,          advice::unset_read_mostly, advice::set_preferred_location,
    advice::unset_preferred_location, advice::set_accessed_by,   advice::unset_accessed_by};

bool about_accessors(advice a) {
    return a == advice::set_accessed_by || a == advice::unset_accessed_by;
}

void check_report(const report& r, std::size_t in, std::size_t out) {
    BOOST_TEST(r.ranges_in == in);
    BOOST_TEST(r.ranges_out == out);
    BOOST_TEST(r.calls == out);
    BOOST_TEST(r.entry == driver::advise_entry());
}

} // namespace

namespace cmm {
std::ostream& operator<<(std::ostream& out, advice a) { return out << to_string(a); }
} // namespace cmm

BOOST_FIXTURE_TEST_SUITE(advising, world)

BOOST_AUTO_TEST_CASE(read_mostly_is_set_and_unset) {
    advise(a, advice::set_read_mostly);
    BOOST_TEST(page_of(a).read_mostly == 1);
    BOOST_TEST(read_mostly(a));
    advise(a, advice::unset_read_mostly);
    BOOST_TEST(page_of(a).read_mostly == 0);
    BOOST_TEST(!read_mostly(a));
}

BOOST_AUTO_TEST_CASE(preferred_location_takes_devices_and_the_host) {
    advise(a, advice::set_preferred_location, device{2});
    BOOST_TEST((preferred_location(a) == location(device{2})));
    advise(a, advice::set_preferred_location, host{});
    BOOST_TEST((preferred_location(a) == location(host{})));
    advise(a, advice::unset_preferred_location);
    BOOST_TEST(!preferred_location(a).has_value());
}

BOOST_AUTO_TEST_CASE(none_and_the_host_are_different_answers) {
    BOOST_TEST(!preferred_location(a).has_value());
    BOOST_TEST(!last_prefetch_location(a).has_value());
    advise(a, advice::set_preferred_location, host{});
    BOOST_TEST(preferred_location(a).has_value());
    const stream s;
    prefetch(a, host{}, s);
    BOOST_TEST((last_prefetch_location(a) == location(host{})));
}

BOOST_AUTO_TEST_CASE(accessed_by_takes_devices_and_the_host) {
    advise(a, advice::set_accessed_by, device{1});
    advise(a, advice::set_accessed_by, host{});
    BOOST_TEST((accessed_by(a) == std::vector<location>{device{1}, host{}}));
    advise(a, advice::unset_accessed_by, device{1});
    BOOST_TEST((accessed_by(a) == std::vector<location>{host{}}));
}

BOOST_DATA_TEST_CASE(accessed_by_takes_no_numa_node,
                     data::make({advice::set_accessed_by, advice::unset_accessed_by}), what) {
    refuses<invalid_argument>([&] { advise(a, what, host::numa(0)); },
                              {"locations", {}, {"host_numa:0", "allowed are devices and the host"}});
    refuses<invalid_argument>([&] { advise({a, b}, what, {device{0}, host::numa_current()}); },
                              {"locations", 1U, {"host_numa_current"}});
}

BOOST_AUTO_TEST_CASE(what_is_no_advice_is_refused) {
    for (const int value : {0, 7, -1, 99})
        refuses<invalid_argument>([&] { advise(a, static_cast<advice>(value)); },
                                  {"advice", {}, {std::to_string(value), "1 (set_read_mostly)"}});
}

BOOST_DATA_TEST_CASE(each_advice_reaches_the_driver_with_its_own_number, data::make(all_advice),
                     what) {
    cmm_sim_record_clear();
    check_report(advise(a, what, device{1}), 1, 1);
    const auto calls = sent();
    BOOST_REQUIRE(calls.size() == 1U);
    BOOST_TEST(calls[0].advice == static_cast<int>(what));
    BOOST_TEST(calls[0].address == a.handle());
    BOOST_TEST(calls[0].bytes == a.size());
    BOOST_TEST(name_of(calls[0]) == driver::advise_entry());
    if (about_accessors(what) || what == advice::set_preferred_location)
        BOOST_TEST((calls[0].location_type == 1 && calls[0].location_id == 1));
}

BOOST_AUTO_TEST_CASE(advice_without_a_place_does_not_look_at_one) {
    BOOST_CHECK_NO_THROW(advise(a, advice::set_read_mostly, device{99}));
    BOOST_CHECK_NO_THROW(advise({a, b}, advice::unset_read_mostly, {device{0}, host{}, host{}}));
}

BOOST_AUTO_TEST_CASE(advice_is_kept_for_the_pages_that_a_range_touches) {
    advise(range(a.handle() + page() + 904, 10), advice::set_read_mostly);
    BOOST_TEST(page_of(a).read_mostly == 0);
    BOOST_TEST(page_of(a, page()).read_mostly == 1);
    BOOST_TEST(page_of(a, 2 * page()).read_mostly == 0);
    BOOST_TEST(!read_mostly(a));
    BOOST_TEST(read_mostly(range(a.handle() + page(), page())));
    BOOST_TEST(read_mostly(range(a.handle() + page() + 1, 1)));
}

BOOST_AUTO_TEST_CASE(a_range_whose_pages_differ_has_no_common_answer) {
    advise(a.slice(0, 32 * kib), advice::set_preferred_location, device{0});
    advise(a.slice(0, 32 * kib), advice::set_accessed_by, device{0});
    BOOST_TEST(!preferred_location(a).has_value());
    BOOST_TEST(accessed_by(a).empty());
    advise(a.slice(32 * kib, 32 * kib), advice::set_preferred_location, device{0});
    BOOST_TEST((preferred_location(a) == location(device{0})));
}

BOOST_AUTO_TEST_CASE(advices_do_not_disturb_each_other) {
    advise(a, advice::set_read_mostly);
    advise(a, advice::set_preferred_location, device{0});
    advise(a, advice::set_accessed_by, host{});
    BOOST_TEST(read_mostly(a));
    BOOST_TEST((preferred_location(a) == location(device{0})));
    BOOST_TEST((accessed_by(a) == std::vector<location>{host{}}));
}

BOOST_AUTO_TEST_CASE(an_accessor_may_be_a_device_that_nobody_has_used) {
    advise(a, advice::set_accessed_by, device{2});
    BOOST_TEST(page_of(a).accessed_by_devices == 4U);
}

BOOST_AUTO_TEST_CASE(questions_about_other_memory_say_what_it_is) {
    const auto pinned = pinned_memory_resource().allocate(4096);
    const told what{"target", {}, {"pinned host memory"}};
    refuses<invalid_argument>([&] { read_mostly(pinned); }, what);
    refuses<invalid_argument>([&] { preferred_location(pinned); }, what);
    refuses<invalid_argument>([&] { last_prefetch_location(pinned); }, what);
    refuses<invalid_argument>([&] { accessed_by(pinned); }, what);
}

BOOST_AUTO_TEST_CASE(questions_about_a_closed_buffer_are_refused) {
    a.close();
    refuses<closed>([&] { read_mostly(a); }, {"buffer"});
    refuses<closed>([&] { preferred_location(a); }, {"buffer"});
    refuses<closed>([&] { last_prefetch_location(a); }, {"buffer"});
    refuses<closed>([&] { accessed_by(a); }, {"buffer"});
    refuses<closed>([&] { assign_accessed_by(a, host{}); }, {"buffer"});
}

BOOST_AUTO_TEST_CASE(an_empty_buffer_has_no_advice) {
    const auto nothing = mr.allocate(0);
    BOOST_TEST(!read_mostly(nothing));
    BOOST_TEST(!preferred_location(nothing).has_value());
    BOOST_TEST(accessed_by(nothing).empty());
    BOOST_CHECK_NO_THROW(assign_accessed_by(nothing, {device{0}}));
}

BOOST_AUTO_TEST_CASE(several_ranges_are_taken_back_when_the_driver_refuses_one) {
    advise(a, advice::set_preferred_location, device{2});
    cmm_sim_fault("cuMemAdvise", 2, 2);
    try {
        advise({a, b, c}, advice::set_preferred_location, {device{0}, device{1}, host{}});
        BOOST_TEST(false, "the driver's refusal was lost");
    } catch (const driver_error& e) {
        BOOST_TEST(e.code() == 2);
        BOOST_TEST(e.issued() == 1U);
        BOOST_TEST(e.argument() == "targets");
        BOOST_TEST(e.index().has_value());
        BOOST_TEST(e.entry() == driver::advise_entry());
        BOOST_TEST(std::string(e.what()).find("CUDA_ERROR_OUT_OF_MEMORY (2)") != std::string::npos);
    }
    BOOST_TEST((preferred_location(a) == location(device{2})));
    BOOST_TEST(!preferred_location(b).has_value());
    BOOST_TEST(!preferred_location(c).has_value());
}

BOOST_DATA_TEST_CASE(a_rollback_restores_what_was_there, data::make(all_advice), what) {
    // Every second range has the advice already, and keeps it.
    for (auto* each : {&a, &c}) {
        advise(*each, advice::set_read_mostly);
        advise(*each, advice::set_preferred_location, host{});
        advise(*each, advice::set_accessed_by, device{1});
    }
    const auto state = [&] {
        std::vector<std::tuple<bool, std::optional<location>, std::vector<location>>> out;
        for (auto* each : {&a, &b, &c})
            out.emplace_back(read_mostly(*each), preferred_location(*each), accessed_by(*each));
        return out;
    };
    const auto before = state();
    cmm_sim_fault("cuMemAdvise", 3, 1);
    BOOST_CHECK_THROW(advise({a, b, c}, what, device{1}), driver_error);
    BOOST_TEST((state() == before));
}

BOOST_AUTO_TEST_CASE(a_refused_single_range_is_one_call) {
    cmm_sim_fault("cuMemAdvise", 1, 1);
    cmm_sim_record_clear();
    BOOST_CHECK_THROW(advise(a, advice::set_read_mostly), driver_error);
    BOOST_TEST(cmm_sim_calls("cuMemAdvise") == 1U);
}

BOOST_AUTO_TEST_CASE(a_driver_error_shows_the_call_it_came_from) {
    cmm_sim_fault("cuMemAdvise", 1, 1);
    try {
        advise(a, advice::set_preferred_location, device{1});
        BOOST_TEST(false);
    } catch (const driver_error& e) {
        const std::string text = e.what();
        for (const char* word : {"cuMemAdvise@", "65536 bytes", "set_preferred_location",
                                 "device:1", "CUDA_ERROR_INVALID_VALUE"})
            BOOST_TEST(text.find(word) != text.npos, text);
        BOOST_TEST(e.name() == "CUDA_ERROR_INVALID_VALUE");
        BOOST_TEST((e.kind() == error_kind::driver));
    }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(numa_locations)

BOOST_AUTO_TEST_CASE(below_12_2_they_are_not_supported, *boost::unit_test::precondition(below{12020})) {
    const machine here;
    const stream s;
    const auto a = managed_memory_resource().allocate(4096);
    const told what{"locations", {}, {"host_numa:0", "CUDA 12.2", "11.8", "use the host"}};
    refuses<not_supported>([&] { advise(a, advice::set_preferred_location, host::numa(0)); }, what);
    refuses<not_supported>([&] { prefetch(a, host::numa(0), s); }, what);
    refuses<not_supported>([&] { prefetch(a, host::numa_current(), s); }, {"locations"});
}

BOOST_AUTO_TEST_CASE(a_node_is_read_back_where_there_are_several,
                     *boost::unit_test::precondition(since{12020})) {
    const machine here("numa_nodes=2");
    auto a = managed_memory_resource().allocate(4096);
    a.preferred_location(host::numa(1));
    BOOST_TEST((a.preferred_location() == host::numa(1)));
    const stream s;
    prefetch(a, host::numa(1), s);
    BOOST_TEST((a.last_prefetch_location() == host::numa(1)));
    s.sync();
    BOOST_TEST((page_of(a).resident_type == 3 && page_of(a).resident_id == 1));
}

BOOST_AUTO_TEST_CASE(the_current_node_is_one_where_there_are_several,
                     *boost::unit_test::precondition(since{12020})) {
    const machine here("numa_nodes=2");
    auto a = managed_memory_resource().allocate(4096);
    a.preferred_location(host::numa_current());
    BOOST_TEST(a.preferred_location().has_value());
    BOOST_TEST(a.preferred_location()->is_numa());
}

BOOST_AUTO_TEST_CASE(the_only_node_becomes_the_host, *boost::unit_test::precondition(since{12020})) {
    const machine here("numa_nodes=1");
    auto a = managed_memory_resource().allocate(4096);
    a.preferred_location(device{0});
    a.preferred_location(host::numa(0));
    BOOST_TEST((a.preferred_location() == location(host{})));
    a.preferred_location(device{0});
    a.preferred_location(host::numa_current());
    BOOST_TEST((a.preferred_location() == location(host{})));
}

BOOST_AUTO_TEST_CASE(a_node_that_is_not_there_is_refused_and_changes_nothing,
                     *boost::unit_test::precondition(since{12020})) {
    const machine here("numa_nodes=2");
    auto a = managed_memory_resource().allocate(4096);
    const stream s;
    a.preferred_location(device{0});
    const told what{"locations", {}, {"host_numa:77", "2 host NUMA nodes"}};
    refuses<invalid_argument>([&] { a.preferred_location(host::numa(77)); }, what);
    refuses<invalid_argument>([&] { prefetch(a, host::numa(77), s); }, what);
    refuses<invalid_argument>([&] { prefetch({a, a}, {host::numa(1), host::numa(2)}, s); },
                              {"locations", 1U, {"host_numa:2"}});
    BOOST_TEST((a.preferred_location() == location(device{0})));
}

BOOST_AUTO_TEST_CASE(a_driver_that_knows_no_typed_attributes_is_asked_for_ordinals) {
    // Some drivers of 12.x answer INVALID_VALUE to the attributes of type and id.
    const machine here;
    auto a = managed_memory_resource().allocate(4096);
    a.preferred_location(device{0});
    cmm_sim_fault("cuMemRangeGetAttributes", 0, 1);
    BOOST_TEST((a.preferred_location() == location(device{0})));
    a.preferred_location(host{});
    BOOST_TEST((a.preferred_location() == location(host{})));
    a.preferred_location(std::nullopt);
    BOOST_TEST(!a.preferred_location().has_value());
    BOOST_TEST(!a.last_prefetch_location().has_value());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(pool_memory)

namespace {

// Memory of a driver's managed pool.
class pool_piece {
public:
    explicit pool_piece(const stream& s, std::size_t bytes) : s_(s) {
        struct {
            int type = 2, handles = 0, place = 1, id = 0;
            void* security = nullptr;
            std::size_t most = 0;
            unsigned char rest[56] = {};
        } properties;
        BOOST_REQUIRE(raw("cuMemPoolCreate", 11020, &pool_, static_cast<void*>(&properties)) == 0);
        BOOST_REQUIRE(raw("cuMemAllocFromPoolAsync", 11020, &at_, bytes, pool_, s.handle()) == 0);
    }
    ~pool_piece() {
        raw("cuMemFreeAsync", 11020, at_, s_.handle());
        s_.sync();
        raw("cuMemPoolDestroy", 11020, pool_);
    }
    std::uintptr_t address() const { return at_; }

private:
    const stream& s_;
    void* pool_ = nullptr;
    unsigned long long at_ = 0;
};

} // namespace

BOOST_AUTO_TEST_CASE(advice_for_it_is_a_typed_error_that_says_what_to_use,
                     *boost::unit_test::precondition(since{13000})) {
    const machine here;
    set_current(device{0});
    {
        const stream s;
        const pool_piece piece(s, 64 * kib);
        auto pooled = managed_buffer::from_handle(reinterpret_cast<void*>(piece.address()), 64 * kib);
        const told what{"targets", 0U, {"driver's pool", "declines advice", "resource", "arena"}};
        refuses<not_supported>([&] { pooled.read_mostly(true); }, what);
        refuses<not_supported>([&] { pooled.preferred_location(device{0}); }, what);
        refuses<not_supported>([&] { advise(pooled, advice::set_accessed_by, host{}); }, what);
        refuses<not_supported>([&] { pooled.accessed_by() = {device{0}}; }, {"target"});
        BOOST_TEST(!pooled.read_mostly());
        BOOST_TEST(pooled.accessed_by().empty());
        BOOST_TEST(pooled.is_managed());
        BOOST_CHECK_NO_THROW(prefetch(pooled, device{0}, s));
        s.sync();
    }
    driver::pop_context();
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(pageable_memory)

BOOST_AUTO_TEST_CASE(it_is_taken_where_every_device_reaches_it) {
    const machine here("pageable=1");
    const stream s;
    std::vector<char> system(64 * kib);
    const range whole(system.data(), system.size());
    BOOST_TEST(advise(whole, advice::set_preferred_location, device{0}).calls == 1U);
    BOOST_TEST((preferred_location(whole) == location(device{0})));
    BOOST_TEST(prefetch(whole, device{0}, s).calls == 1U);
    s.sync();
    advise(whole, advice::unset_preferred_location);
}

BOOST_AUTO_TEST_CASE(it_is_refused_where_one_device_does_not_reach_it) {
    const machine here("devices=2;pageable=1,0");
    const stream s;
    std::vector<char> system(64 * kib);
    const range whole(system.data(), system.size());
    refuses<invalid_argument>([&] { advise(whole, advice::set_read_mostly); },
                              {"targets", 0U, {"pageableMemoryAccess"}});
    refuses<invalid_argument>([&] { prefetch(whole, device{0}, s); }, {"targets", 0U});
}

BOOST_AUTO_TEST_CASE(a_batch_with_some_of_it_goes_range_by_range,
                     *boost::unit_test::precondition(since{13000})) {
    const machine here("pageable=1");
    const stream s;
    std::vector<char> system(64 * kib);
    const auto a = managed_memory_resource().allocate(64 * kib);
    const auto r = prefetch({a, range(system.data(), system.size())}, device{0}, s,
                            {.strategy = strategy::driver_batch});
    BOOST_TEST(r.calls == 2U);
    BOOST_TEST((r.strategy == strategy::per_range));
    BOOST_TEST(r.reason == "a batch takes no pageable memory");
    s.sync();
}

BOOST_AUTO_TEST_CASE(its_discard_is_refused_before_the_driver_sees_it,
                     *boost::unit_test::precondition(since{13000})) {
    const machine here("pageable=1");
    const stream s;
    std::vector<char> system(64 * kib);
    const range whole(system.data(), system.size());
    const auto a = managed_memory_resource().allocate(64 * kib);
    const told what{"targets", 1U, {"pageable host memory", "discard"}};
    refuses<not_supported>([&] { discard({a, whole}, s); }, what);
    refuses<not_supported>([&] { discard_prefetch({a, whole}, device{0}, s); }, what);
}

BOOST_AUTO_TEST_SUITE_END()
