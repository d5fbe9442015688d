// SPDX-License-Identifier: Apache-2.0
// Plans of copies: what becomes one run, and which batches have no order in which they are right.
#include "support/allocations.hpp"
#include "support/random.hpp"
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <map>

#include "support/plan_model.hpp"

using namespace cmm;
using namespace cmm::test;
namespace data = boost::unit_test::data;

namespace {

constexpr std::uintptr_t to = 0x7f0000000000;
constexpr std::uintptr_t from = 0x7e0000000000;

copy_element copy(std::uintptr_t dst, std::uintptr_t src, std::size_t bytes, std::uint32_t index) {
    return {dst, src, bytes, 1, 2, 0, 3, 4, index};
}

std::vector<copy_run> runs_of(const copies& in, bool merge = true) {
    plan::copy_planner p;
    for (const auto& e : in)
        p.add(e);
    const auto runs = p.plan("copy_batch", merge);
    return {runs.begin(), runs.end()};
}

invalid_argument refusal_of(const copies& in) {
    try {
        runs_of(in);
    } catch (const invalid_argument& e) {
        return e;
    }
    BOOST_FAIL("was not refused");
    throw;
}

// Two copies that would continue each other, but for what `change` does to the second.
template <class Change> std::size_t runs_after(Change change) {
    copies in{copy(to, from, 100, 0), copy(to + 100, from + 100, 100, 1)};
    change(in[1]);
    return runs_of(in).size();
}

// Pieces that mostly lie apart and often continue each other; now and then one lies anywhere.
copies random_copies(dice& d) {
    copies out;
    const auto stray = d.below(3) * 3;
    const auto count = d.between(1, 20);
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto piece = i * 16;
        const bool anywhere = d.below(100) < stray;
        const auto dst = to + (anywhere ? d.below(320) : piece);
        const auto src = d.below(8) == 0 ? to + 400 + d.below(50) : to + 400 + piece;
        auto e = copy(dst, anywhere && d.below(2) ? to + d.below(320) : src,
                      d.below(4) ? 16 : d.between(1, 16), i);
        e.options = d.below(5) == 0 ? 1U : 0U;
        e.src_of = d.below(8) == 0 ? 5 : 2;
        out.push_back(e);
    }
    d.shuffle(out);
    for (std::uint32_t i = 0; i < count; ++i)
        out[i].index = i;
    return out;
}

std::map<std::uintptr_t, std::uintptr_t> bytes_of(const auto& copies) {
    std::map<std::uintptr_t, std::uintptr_t> out;
    for (const auto& c : copies)
        for (std::size_t k = 0; k < c.bytes; ++k)
            BOOST_TEST(out.emplace(c.dst + k, c.src + k).second);
    return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(plan_copies)

BOOST_AUTO_TEST_CASE(copies_that_continue_on_both_sides_become_one_run) {
    BOOST_TEST(text_of(runs_of({copy(to + 200, from + 200, 50, 2), copy(to, from, 100, 0),
                                copy(to + 100, from + 100, 100, 1)})) ==
               "[0x7f0000000000<-0x7e0000000000+250 options 0 first 0 count 3]");
}

BOOST_AUTO_TEST_CASE(anything_that_differs_parts_two_runs) {
    BOOST_TEST(runs_after([](copy_element&) {}) == 1U);
    BOOST_TEST(runs_after([](copy_element& e) { ++e.dst; }) == 2U);
    BOOST_TEST(runs_after([](copy_element& e) { ++e.src; }) == 2U);
    BOOST_TEST(runs_after([](copy_element& e) { ++e.dst_of; }) == 2U);
    BOOST_TEST(runs_after([](copy_element& e) { ++e.src_of; }) == 2U);
    BOOST_TEST(runs_after([](copy_element& e) { ++e.dst_kind; }) == 2U);
    BOOST_TEST(runs_after([](copy_element& e) { ++e.src_kind; }) == 2U);
    BOOST_TEST(runs_after([](copy_element& e) { ++e.options; }) == 2U);
}

BOOST_AUTO_TEST_CASE(a_gap_is_never_copied_over) {
    BOOST_TEST(runs_of({copy(to, from, 10, 0), copy(to + 11, from + 11, 10, 1)}).size() == 2U);
}

BOOST_AUTO_TEST_CASE(equal_options_are_neighbours_and_then_by_destination) {
    auto a = copy(to, from, 10, 0), b = copy(to + 100, from, 10, 1),
         c = copy(to + 200, from, 10, 2);
    a.options = c.options = 7;
    BOOST_TEST(text_of(runs_of({c, b, a}, false)) ==
               "[0x7f0000000064<-0x7e0000000000+10 options 0 first 1 count 1]"
               "[0x7f0000000000<-0x7e0000000000+10 options 7 first 0 count 1]"
               "[0x7f00000000c8<-0x7e0000000000+10 options 7 first 2 count 1]");
}

BOOST_AUTO_TEST_CASE(without_merging_every_copy_is_a_run) {
    BOOST_TEST(
        runs_of({copy(to, from, 100, 0), copy(to + 100, from + 100, 100, 1)}, false).size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_copy_of_a_range_onto_itself_is_left_out) {
    BOOST_TEST(runs_of({copy(to, to, 100, 0)}).empty());
    BOOST_TEST(runs_of({copy(to, to, 100, 0), copy(to, from, 100, 1)}).size() == 1U);
}

BOOST_AUTO_TEST_CASE(one_source_may_be_read_many_times) {
    BOOST_TEST(runs_of({copy(to, from, 100, 0), copy(to + 200, from, 100, 1),
                        copy(to + 400, from + 50, 100, 2)})
                   .size() == 3U);
}

BOOST_AUTO_TEST_CASE(two_that_write_one_byte_are_refused) {
    const auto e = refusal_of({copy(to, from, 100, 3), copy(to + 99, from + 500, 100, 1)});
    BOOST_TEST(e.argument() == "dsts");
    BOOST_TEST((e.index() == 1U && e.other_index() == 3U));
    BOOST_TEST(e.what() ==
               std::string("copy_batch: dsts[1]: 0x7f0000000063 (100 bytes) overlaps dsts[3], "
                           "0x7f0000000000 (100 bytes); a batch copies in no order, so "
                           "destinations must be apart"));
}

BOOST_AUTO_TEST_CASE(two_that_write_one_byte_are_refused_whatever_their_options) {
    auto other = copy(to + 50, from + 500, 100, 1);
    other.options = 9;
    BOOST_TEST(refusal_of({copy(to, from, 100, 0), other}).argument() == "dsts");
}

BOOST_AUTO_TEST_CASE(one_that_reads_what_another_writes_is_refused) {
    const auto e = refusal_of({copy(to + 1000, to + 99, 10, 0), copy(to, from, 100, 1)});
    BOOST_TEST(e.argument() == "srcs");
    BOOST_TEST((e.index() == 0U && e.other_index() == 1U));
}

BOOST_AUTO_TEST_CASE(two_that_swap_are_refused) {
    BOOST_TEST(refusal_of({copy(to, from, 100, 0), copy(from, to, 100, 1)}).argument() == "srcs");
}

BOOST_AUTO_TEST_CASE(one_that_overlaps_itself_is_refused) {
    const auto e = refusal_of({copy(from, to, 10, 0), copy(to + 99, to + 100, 100, 1)});
    BOOST_TEST(e.argument() == "srcs");
    BOOST_TEST((e.index() == 1U && !e.other_index()));
}

BOOST_AUTO_TEST_CASE(ranges_that_only_touch_are_no_chain) {
    BOOST_TEST(runs_of({copy(to, to + 100, 100, 0), copy(to + 200, to + 300, 100, 1)}).size() ==
               2U);
}

BOOST_DATA_TEST_CASE(a_plan_is_what_looking_at_every_pair_gives, data::make({false, true}), merge) {
    plan::copy_planner p;
    std::size_t contradict = 0;
    for (std::uint64_t seed = 0; seed < 5000; ++seed) {
        dice d(seed);
        const auto in = random_copies(d);
        contradict += !refusals_of(in).empty();
        BOOST_TEST_CONTEXT("seed " << seed)
        BOOST_TEST(fault_of_plan(p, in, merge) == "");
    }
    BOOST_TEST(contradict > 500U); // both were tried
    BOOST_TEST(contradict < 4500U);
}

BOOST_AUTO_TEST_CASE(a_plan_writes_the_bytes_of_its_input_from_the_same_places) {
    int planned = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        dice d(seed);
        const auto in = random_copies(d);
        if (!refusals_of(in).empty())
            continue;
        ++planned;
        BOOST_TEST((bytes_of(in) == bytes_of(runs_of(in))));
    }
    BOOST_TEST(planned > 50);
}

BOOST_AUTO_TEST_CASE(a_plan_allocates_nothing_once_it_has_grown) {
    dice d(1);
    copies in;
    for (std::uint32_t i = 0; i < 256; ++i)
        in.push_back(
            copy(to + i * 200, to + 100 + i * 200, 100, i)); // interleaved: sources sorted too
    for (auto& e : in)
        e.options = e.index % 3;
    d.shuffle(in);
    plan::copy_planner p;
    const auto round = [&] {
        p.clear();
        for (const auto& e : in)
            p.add(e);
        p.plan("copy_batch", true);
    };
    BOOST_TEST(allocations_of(round) > 0U);
    BOOST_TEST(allocations_of(round) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
