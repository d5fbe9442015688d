// SPDX-License-Identifier: Apache-2.0
// What every operation demands of its targets and locations.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/machine.hpp"

using namespace cmm;
using namespace cmm::test;
namespace data = boost::unit_test::data;

namespace {

enum class op { advise, prefetch, discard, discard_prefetch };
constexpr op all[] = {op::advise, op::prefetch, op::discard, op::discard_prefetch};

std::ostream& operator<<(std::ostream& out, op o) {
    static constexpr const char* names[] = {"advise", "prefetch", "discard", "discard_prefetch"};
    return out << names[static_cast<int>(o)];
}

report run(op o, const target_list& targets, stream_ref s, const location_list& where = host{}) {
    switch (o) {
    case op::advise: return advise(targets, advice::set_preferred_location, where);
    case op::prefetch: return prefetch(targets, where, s);
    case op::discard: return discard(targets, s);
    case op::discard_prefetch: return discard_prefetch(targets, where, s);
    }
    return {};
}

bool takes_location(op o) { return o != op::discard; }
bool works(op o) { return o == op::advise || o == op::prefetch || environment_level() >= 13000; }

struct world {
    machine here{"devices=2"};
    managed_memory_resource mr;
    stream s;
    managed_buffer a = mr.allocate(64 * kib), b = mr.allocate(64 * kib), c = mr.allocate(64 * kib);
};

} // namespace

BOOST_AUTO_TEST_SUITE(targets)

BOOST_DATA_TEST_CASE_F(world, no_targets_are_refused, data::make(all), o) {
    refuses<invalid_argument>([&] { run(o, std::vector<managed_buffer>(), s); },
                              {"targets", {}, {"no targets", "at least one"}});
    refuses<invalid_argument>([&] { run(o, std::initializer_list<target>{}, s); }, {"targets"});
}

BOOST_DATA_TEST_CASE_F(world, a_closed_buffer_is_named_by_its_index, data::make(all), o) {
    b.close();
    refuses<closed>([&] { run(o, {a, b, c}, s); }, {"targets", 1U, {"closed"}});
    refuses<closed>([&] { run(o, managed_buffer(), s); }, {"targets", 0U});
}

BOOST_DATA_TEST_CASE_F(world, a_moved_from_buffer_is_closed, data::make(all), o) {
    const auto moved = std::move(a);
    refuses<closed>([&] { run(o, {b, a}, s); }, {"targets", 1U});
}

BOOST_DATA_TEST_CASE_F(world, a_range_beyond_its_allocation_is_refused, data::make(all), o) {
    const auto end = a.handle() + a.size();
    refuses<invalid_argument>([&] { run(o, {b, range(a.handle() + kib, 64 * kib)}, s); },
                              {"targets", 1U, {"65536 bytes", "leave their allocation", "managed"}});
    BOOST_TEST(run(works(o) ? o : op::prefetch, range(end - 1, 1), s).ranges_in == 1U);
    s.sync();
}

BOOST_DATA_TEST_CASE_F(world, other_memory_is_refused_and_said_what_it_is, data::make(all), o) {
    const auto pinned = pinned_memory_resource().allocate(4096);
    const auto device_only = device_memory_resource().allocate(4096);
    const std::vector<char> pageable(4096);
    const auto outside = range(pageable.data(), pageable.size());
    refuses<invalid_argument>(
        [&] { run(o, {a, pinned}, s); },
        {"targets", 1U, {"not managed memory", "pinned host memory, 4096 bytes", "resource"}});
    refuses<invalid_argument>([&] { run(o, {device_only, a}, s); },
                              {"targets", 0U, {"device memory, 4096 bytes"}});
    refuses<invalid_argument>(
        [&] { run(o, {a, b, outside}, s); },
        {"targets", 2U, {"pageable host memory", "no device here has pageableMemoryAccess"}});
}

BOOST_DATA_TEST_CASE_F(world, an_error_about_the_memory_says_its_address, data::make(all), o) {
    const auto pinned = pinned_memory_resource().allocate(4096);
    char address[32];
    std::snprintf(address, sizeof address, "%p", pinned.data());
    refuses<invalid_argument>([&] { run(o, pinned, s); }, {"targets", 0U, {address}});
}

BOOST_DATA_TEST_CASE_F(world, a_zero_size_buffer_is_skipped, data::make(all), o) {
    if (!works(o))
        return;
    const auto nothing = mr.allocate(0);
    cmm_sim_record_clear();
    BOOST_TEST(run(o, nothing, s).ranges_in == 0U);
    BOOST_TEST(sent_names() == "");
    const auto r = run(o, {nothing, a, nothing}, s);
    BOOST_TEST(r.ranges_in == 1U);
    BOOST_TEST(r.bytes == a.size());
    BOOST_TEST(sent().size() == 1U);
    s.sync();
}

BOOST_DATA_TEST_CASE_F(world, a_null_range_of_no_bytes_is_skipped, data::make(all), o) {
    if (works(o))
        BOOST_TEST(run(o, range(), s).ranges_in == 0U);
}

BOOST_DATA_TEST_CASE_F(world, a_range_that_wraps_cannot_be_made, data::make(all), o) {
    refuses<invalid_argument>([&] { run(o, target(a.data(), SIZE_MAX), s); }, {"bytes"});
}

BOOST_DATA_TEST_CASE_F(world, one_location_serves_all, data::make(all), o) {
    if (!works(o))
        return;
    run(o, {a, b, c}, s, device{1});
    s.sync();
    for (const auto* each : {&a, &b, &c}) {
        const auto p = page_of(*each);
        if (o == op::advise)
            BOOST_TEST(p.preferred_id == 1);
        else if (takes_location(o))
            BOOST_TEST((p.resident_type == 1 && p.resident_id == 1));
        else
            BOOST_TEST(p.discards == 1U);
    }
}

BOOST_DATA_TEST_CASE_F(world, a_sequence_of_locations_pairs_by_index, data::make(all), o) {
    if (!works(o) || !takes_location(o))
        return;
    run(o, {c, a, b}, s, {device{1}, host{}, device{0}});
    s.sync();
    const auto place = [&](const buffer& of) {
        const auto p = page_of(of);
        return o == op::advise ? std::pair(p.preferred_type, p.preferred_id)
                               : std::pair(p.resident_type, p.resident_id);
    };
    BOOST_TEST((place(c) == std::pair(1, 1)));
    BOOST_TEST(place(a).first == 2);
    BOOST_TEST((place(b) == std::pair(1, 0)));
}

BOOST_DATA_TEST_CASE_F(world, another_number_of_locations_is_refused, data::make(all), o) {
    if (!takes_location(o))
        return;
    const told two_for_three{"locations", {}, {"2 locations for 3 targets", "one for each"}};
    refuses<invalid_argument>([&] { run(o, {a, b, c}, s, {device{0}, host{}}); }, two_for_three);
    refuses<invalid_argument>([&] { run(o, a, s, {device{0}, host{}}); }, {"locations"});
    refuses<invalid_argument>([&] { run(o, {a, b}, s, std::vector<location>()); }, {"locations"});
}

BOOST_DATA_TEST_CASE_F(world, a_device_that_is_not_there_is_refused, data::make(all), o) {
    if (!takes_location(o))
        return;
    refuses<invalid_argument>([&] { run(o, a, s, device{2}); },
                              {"locations", {}, {"device:2 is not there", "2 devices, 0 to 1"}});
    refuses<invalid_argument>([&] { run(o, {a, b}, s, {device{1}, device{7}}); },
                              {"locations", 1U, {"device:7"}});
}

BOOST_DATA_TEST_CASE_F(world, a_location_is_checked_even_for_an_empty_target, data::make(all), o) {
    if (!takes_location(o))
        return;
    const auto nothing = mr.allocate(0);
    refuses<invalid_argument>([&] { run(o, nothing, s, device{9}); }, {"locations"});
}

BOOST_DATA_TEST_CASE_F(world, a_bad_last_element_leaves_the_first_ones_alone, data::make(all), o) {
    const auto pinned = pinned_memory_resource().allocate(4096);
    const auto before = page_of(a);
    refuses<invalid_argument>([&] { run(o, {a, b, c, pinned}, s, device{1}); }, {"targets", 3U});
    const auto after = page_of(a);
    BOOST_TEST(after.prefetches == before.prefetches);
    BOOST_TEST(after.discards == before.discards);
    BOOST_TEST(after.preferred_type == 0);
}

BOOST_DATA_TEST_CASE_F(world, targets_are_buffers_ranges_and_slices_alike, data::make(all), o) {
    if (!works(o))
        return;
    std::vector<managed_buffer> buffers;
    buffers.push_back(a.slice(0, 4096));
    buffers.push_back(b.slice(4096, 4096));
    BOOST_TEST(run(o, buffers, s).ranges_in == 2U);
    const range ranges[] = {a.extent(), c.extent()};
    BOOST_TEST(run(o, std::span(ranges), s).ranges_in == 2U);
    BOOST_TEST(run(o, {a, c.extent()}, s).ranges_in == 2U);
    BOOST_TEST(run(o, target(a.data(), 100), s).bytes == 100U);
    const auto borrowed = managed_buffer::from_handle(c.data(), c.size());
    BOOST_TEST(run(o, borrowed, s).bytes == c.size());
    s.sync();
}

BOOST_DATA_TEST_CASE_F(world, borrowed_memory_is_asked_for_at_each_call, data::make(all), o) {
    if (!works(o))
        return;
    auto owner = mr.allocate(64 * kib);
    const auto borrowed = managed_buffer::from_handle(owner.data(), owner.size());
    run(o, borrowed, s);
    s.sync();
    owner.close();
    refuses<invalid_argument>([&] { run(o, borrowed, s); }, {"targets", 0U});
}

BOOST_DATA_TEST_CASE_F(world, a_closed_stream_is_refused, data::make(all), o) {
    if (o == op::advise || !works(o))
        return;
    s.close();
    refuses<closed>([&] { run(o, a, s); }, {"stream", {}, {"closed"}});
}

BOOST_AUTO_TEST_CASE(unmanaged_memory_leaves_no_error_behind_in_the_driver) {
    const machine here;
    const stream s;
    const auto pinned = pinned_memory_resource().allocate(4096);
    BOOST_CHECK_THROW(prefetch(pinned, device{0}, s), invalid_argument);
    for (const auto& call : recorded())
        BOOST_TEST(call.result == 0, call.entry);
}

BOOST_AUTO_TEST_SUITE_END()
