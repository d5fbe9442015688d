// SPDX-License-Identifier: Apache-2.0
// Which ranges reach the driver as one, seen in the record of its calls.
#include <string>
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
    managed_buffer a = mr.allocate(16 * page()), b = mr.allocate(16 * page());

    range part(const buffer& of, std::size_t offset, std::size_t bytes) const {
        return {of.handle() + offset, bytes};
    }
};

struct span_of {
    std::uint64_t address, bytes;
    friend bool operator==(const span_of&, const span_of&) = default;
};

// The ranges that the calls since the clear were about.
std::vector<span_of> ranges_sent() {
    std::vector<span_of> out;
    const auto calls = recorded();
    for (std::size_t i = 0; i < calls.size(); ++i) {
        if (!changes_something(calls[i]))
            continue;
        std::vector<std::uint64_t> at(calls[i].count), bytes(calls[i].count);
        if (cmm_sim_record_ranges(i, at.size(), at.data(), bytes.data(), nullptr, nullptr) == 0)
            out.push_back({calls[i].address, calls[i].bytes});
        else
            for (std::size_t k = 0; k < at.size(); ++k)
                out.push_back({at[k], bytes[k]});
    }
    return out;
}

template <class Body> std::vector<span_of> ranges_of(Body body) {
    cmm_sim_record_clear();
    body();
    return ranges_sent();
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(merging_of_prefetches, world)

BOOST_AUTO_TEST_CASE(neighbours_are_one_range) {
    std::vector<range> pieces;
    for (std::size_t i = 0; i < 16; ++i)
        pieces.push_back(part(a, i * page(), page()));
    const auto sent = ranges_of([&] { prefetch(pieces, device{0}, s); });
    BOOST_TEST((sent == std::vector<span_of>{{a.handle(), a.size()}}));
    s.sync();
}

BOOST_AUTO_TEST_CASE(the_order_given_does_not_matter) {
    const auto sent = ranges_of([&] {
        prefetch({part(a, 2 * page(), page()), part(a, 0, page()), part(a, page(), page())},
                 device{0}, s);
    });
    BOOST_TEST((sent == std::vector<span_of>{{a.handle(), 3 * page()}}));
    s.sync();
}

BOOST_AUTO_TEST_CASE(ranges_touch_once_rounded_out_to_pages) {
    const auto sent = ranges_of(
        [&] { prefetch({part(a, 100, 10), part(a, page() + 200, 10)}, device{0}, s); });
    BOOST_TEST((sent == std::vector<span_of>{{a.handle() + 100, page() + 110}}));
    s.sync();
}

BOOST_AUTO_TEST_CASE(a_page_between_them_keeps_ranges_apart) {
    const auto sent = ranges_of(
        [&] { prefetch({part(a, 0, page()), part(a, 2 * page(), page())}, device{0}, s); });
    BOOST_TEST(sent.size() == 2U);
    s.sync();
    BOOST_TEST(page_of(a, page()).prefetches == 0U);
}

BOOST_AUTO_TEST_CASE(overlaps_and_repetitions_are_one_range) {
    const auto sent = ranges_of(
        [&] { prefetch({a, part(a, page(), 3 * page()), a, part(a, 0, 1)}, device{0}, s); });
    BOOST_TEST((sent == std::vector<span_of>{{a.handle(), a.size()}}));
    s.sync();
}

BOOST_AUTO_TEST_CASE(different_destinations_stay_apart) {
    const auto sent = ranges_of([&] {
        prefetch({part(a, 0, page()), part(a, page(), page())}, {device{0}, device{1}}, s);
    });
    BOOST_TEST(sent.size() == 2U);
    s.sync();
}

BOOST_AUTO_TEST_CASE(a_page_cannot_go_to_two_places) {
    const auto text = refuses<invalid_argument>(
        [&] { prefetch({b, part(a, 0, 100), part(a, 200, 100)}, {host{}, device{0}, device{1}}, s); },
        {"targets", 1U, {"shares a page with targets[2]", "device:0", "device:1"}});
    BOOST_TEST(text.find("give both the same location") != text.npos);
}

BOOST_AUTO_TEST_CASE(allocations_never_merge_even_where_they_touch) {
    // A range over two allocations is refused by the driver.
    std::vector<managed_buffer> many;
    for (int i = 0; i < 8; ++i)
        many.push_back(mr.allocate(2 * mib));
    const auto sent = ranges_of([&] { prefetch(many, device{0}, s); });
    BOOST_TEST(sent.size() == 8U);
    s.sync();
}

BOOST_AUTO_TEST_CASE(borrowed_ranges_of_one_allocation_merge) {
    const auto first = managed_buffer::from_handle(a.data(), page());
    const auto next = managed_buffer::from_handle(static_cast<char*>(a.data()) + page(), page());
    const auto sent = ranges_of([&] { prefetch({first, next}, device{0}, s); });
    BOOST_TEST((sent == std::vector<span_of>{{a.handle(), 2 * page()}}));
    s.sync();
}

BOOST_AUTO_TEST_CASE(the_report_counts_both_sides) {
    const auto r = prefetch({part(a, 0, page()), part(a, page(), page()), b}, device{0}, s);
    BOOST_TEST(r.ranges_in == 3U);
    BOOST_TEST(r.ranges_out == 2U);
    BOOST_TEST(r.bytes == 18 * page());
    s.sync();
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(merging_of_advice, world)

BOOST_AUTO_TEST_CASE(neighbours_are_one_call) {
    const auto sent = ranges_of([&] {
        advise({part(a, 0, page()), part(a, page(), page()), b}, advice::set_read_mostly);
    });
    BOOST_TEST(sent.size() == 2U);
    BOOST_TEST(cmm_sim_calls("cuMemAdvise") == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(merging_of_discards, world)

BOOST_AUTO_TEST_CASE(byte_for_byte_neighbours_are_one_range, *precondition(since{13000})) {
    const auto sent =
        ranges_of([&] { discard({part(a, 0, page() / 2), part(a, page() / 2, page())}, s); });
    BOOST_TEST((sent == std::vector<span_of>{{a.handle(), page() + page() / 2}}));
    s.sync();
}

BOOST_AUTO_TEST_CASE(a_gap_inside_a_page_keeps_them_apart, *precondition(since{13000})) {
    fill(a, 5);
    const auto sent = ranges_of([&] { discard({part(a, 0, 100), part(a, 200, page() - 200)}, s); });
    BOOST_TEST(sent.size() == 2U);
    s.sync();
    BOOST_TEST(all_bytes(a, 5));
}

BOOST_AUTO_TEST_CASE(overlaps_are_one_range, *precondition(since{13000})) {
    const auto sent =
        ranges_of([&] { discard({part(a, 0, 2 * page()), part(a, page(), 2 * page())}, s); });
    BOOST_TEST((sent == std::vector<span_of>{{a.handle(), 3 * page()}}));
    s.sync();
}

BOOST_AUTO_TEST_CASE(a_range_is_never_widened, *precondition(since{13000})) {
    const auto odd = mr.allocate(page() + 100);
    const auto sent = ranges_of([&] { discard(odd, s); });
    BOOST_TEST((sent == std::vector<span_of>{{odd.handle(), page() + 100}}));
    s.sync();
}

BOOST_AUTO_TEST_CASE(the_padding_that_an_arena_owns_is_covered, *precondition(since{13000})) {
    const auto arena = managed_memory_resource::arena({.slab_bytes = 2 * mib});
    const auto pieces = arena.allocate_batch({page() + 100, page() + 100});
    const auto sent = ranges_of([&] { discard(pieces, s); });
    BOOST_TEST((sent == std::vector<span_of>{{pieces[0].handle(), 4 * page()}}));
    s.sync();
    BOOST_TEST(page_of(pieces[0], page()).discards == 1U);
}

BOOST_AUTO_TEST_CASE(a_slice_that_ends_before_the_padding_is_not_widened, *precondition(since{13000})) {
    const auto arena = managed_memory_resource::arena({.slab_bytes = 2 * mib});
    const auto piece = arena.allocate(page() + 100);
    const auto slice = piece.slice(0, page() + 50);
    const auto sent = ranges_of([&] { discard(slice, s); });
    BOOST_TEST((sent == std::vector<span_of>{{piece.handle(), page() + 50}}));
    s.sync();
}

BOOST_AUTO_TEST_CASE(discard_prefetch_merges_like_discard, *precondition(since{13000})) {
    const auto sent = ranges_of([&] {
        discard_prefetch({part(a, 0, page()), part(a, page(), page()), part(a, 3 * page() + 1, 1)},
                         device{0}, s);
    });
    BOOST_TEST((sent == std::vector<span_of>{{a.handle(), 2 * page()},
                                             {a.handle() + 3 * page() + 1, 1}}));
    s.sync();
}

BOOST_AUTO_TEST_SUITE_END()
