// SPDX-License-Identifier: Apache-2.0
// Plans of ranges: what becomes one run, what is refused, and that neither depends on any order.
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

constexpr page_size page{4096};
constexpr location gpu = device{0};
constexpr location cpu = host{};
constexpr std::uintptr_t base = 0x7f0000000000;

struct planned {
    plan::range_planner planner;
    std::span<const run> runs;

    planned(const ranges& in, merging rule) {
        for (const auto& e : in)
            planner.add(e);
        runs = planner.plan("prefetch", rule, page);
    }
};

std::string plan_text(const ranges& in, merging rule) { return text_of(planned(in, rule).runs); }

element at(std::uintptr_t offset, std::size_t bytes, std::uint32_t index, location where = gpu,
           plan::area of = 1) {
    return {base + offset, bytes, of, where, index};
}

// Few pages, so that ranges meet often; each allocation is four of them. Where nearly all go to one
// place there are plans, where they go anywhere there are refusals.
ranges random_ranges(dice& d) {
    ranges out;
    const auto count = d.between(1, 24);
    const auto stray = d.below(3) * 8;
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto allocation = d.below(6);
        const auto offset = d.below(2) ? d.below(4) * 4096 : d.below(4 * 4096);
        const auto room = 4 * 4096 - offset;
        const auto bytes = d.below(2) ? std::min<std::size_t>(4096, room) : d.between(1, room);
        const auto where = d.below(100) < stray ? cpu : gpu;
        const auto area = allocation < 3 ? plan::by_address : allocation;
        out.push_back(at(allocation * 4 * 4096 + offset, bytes, i, where, area));
    }
    return out;
}

std::string outcome(const ranges& in, merging rule) {
    try {
        return plan_text(in, rule);
    } catch (const invalid_argument& e) {
        return e.what();
    }
}

using times_touched = std::map<std::uintptr_t, int>;

times_touched units_touched(const auto& ranges, page_size unit) {
    times_touched out;
    for (const auto& r : ranges)
        for (auto a = unit.down(r.address); a < r.address + r.bytes; a += unit.bytes())
            ++out[a];
    return out;
}
times_touched pages_touched(const auto& ranges) { return units_touched(ranges, page); }
times_touched bytes_touched(const auto& ranges) { return units_touched(ranges, page_size{1}); }

const auto every_rule = data::make({merging::none, merging::pages, merging::bytes});

} // namespace

namespace cmm::plan {
std::ostream& boost_test_print_type(std::ostream& out, merging rule) {
    return out << (rule == merging::none ? "none" : rule == merging::pages ? "pages" : "bytes");
}
} // namespace cmm::plan

BOOST_AUTO_TEST_SUITE(plan_ranges)

BOOST_AUTO_TEST_CASE(nothing_in_nothing_out) {
    BOOST_TEST(planned({}, merging::pages).runs.empty());
}

BOOST_AUTO_TEST_CASE(neighbours_become_one_run) {
    const auto runs =
        plan_text({at(0, 4096, 0), at(4096, 4096, 1), at(8192, 100, 2)}, merging::pages);
    BOOST_TEST(runs == "[0x7f0000000000+8292 device:0 first 0 count 3]");
}

BOOST_AUTO_TEST_CASE(a_run_is_not_widened_beyond_its_own_outer_bytes) {
    const auto runs = plan_text({at(4096, 200, 1), at(100, 200, 0)}, merging::pages);
    BOOST_TEST(runs == "[0x7f0000000064+4196 device:0 first 0 count 2]");
}

BOOST_AUTO_TEST_CASE(ranges_that_share_a_page_merge_over_the_gap) {
    BOOST_TEST(plan_text({at(0, 10, 0), at(1000, 10, 1)}, merging::pages) ==
               "[0x7f0000000000+1010 device:0 first 0 count 2]");
}

BOOST_AUTO_TEST_CASE(a_gap_of_a_whole_page_parts_two_runs) {
    BOOST_TEST(planned({at(0, 4096, 0), at(8192, 4096, 1)}, merging::pages).runs.size() == 2U);
}

BOOST_AUTO_TEST_CASE(discards_merge_byte_for_byte_only) {
    BOOST_TEST(planned({at(0, 10, 0), at(11, 10, 1)}, merging::bytes).runs.size() == 2U);
    BOOST_TEST(plan_text({at(0, 10, 0), at(10, 10, 1)}, merging::bytes) ==
               "[0x7f0000000000+20 device:0 first 0 count 2]");
}

BOOST_AUTO_TEST_CASE(a_range_inside_another_does_not_shorten_it) {
    BOOST_TEST(plan_text({at(0, 9000, 0), at(100, 10, 1), at(8000, 1000, 2)}, merging::bytes) ==
               "[0x7f0000000000+9000 device:0 first 0 count 3]");
}

BOOST_AUTO_TEST_CASE(allocations_never_merge) {
    BOOST_TEST(
        planned({at(0, 4096, 0, gpu, 1), at(4096, 4096, 1, gpu, 2)}, merging::pages).runs.size() ==
        2U);
}

BOOST_AUTO_TEST_CASE(pageable_memory_merges_by_address) {
    const auto runs =
        planned({at(0, 4096, 0, gpu, plan::by_address), at(4096, 4096, 1, gpu, plan::by_address)},
                merging::pages)
            .runs;
    BOOST_TEST(runs.size() == 1U);
}

BOOST_AUTO_TEST_CASE(different_destinations_never_merge) {
    const auto runs = plan_text({at(0, 4096, 0, gpu), at(4096, 4096, 1, cpu)}, merging::pages);
    BOOST_TEST(runs == "[0x7f0000000000+4096 device:0 first 0 count 1]"
                       "[0x7f0000001000+4096 host first 1 count 1]");
}

BOOST_AUTO_TEST_CASE(without_merging_every_element_is_a_run_in_order_of_address) {
    BOOST_TEST(plan_text({at(4096, 4096, 0), at(0, 4096, 1), at(0, 10, 2)}, merging::none) ==
               "[0x7f0000000000+4096 device:0 first 1 count 1]"
               "[0x7f0000000000+10 device:0 first 2 count 1]"
               "[0x7f0000001000+4096 device:0 first 0 count 1]");
}

BOOST_AUTO_TEST_CASE(first_is_the_smallest_index_of_a_run) {
    BOOST_TEST(planned({at(0, 4096, 7), at(4096, 4096, 3), at(8192, 1, 5)}, merging::pages)
                   .runs[0]
                   .first == 3U);
}

BOOST_DATA_TEST_CASE(one_byte_that_goes_two_ways_is_refused_with_both_indices, every_rule, rule) {
    BOOST_CHECK_EXCEPTION(planned({at(0, 4096, 4, gpu), at(4095, 10, 2, cpu)}, rule),
                          invalid_argument, [](const invalid_argument& e) {
                              return e.index() == 2U && e.other_index() == 4U &&
                                     e.argument() == "targets";
                          });
}

BOOST_AUTO_TEST_CASE(one_page_that_goes_two_ways_is_refused_for_prefetches_only) {
    const ranges in{at(0, 10, 0, gpu), at(20, 10, 1, cpu)};
    BOOST_CHECK_THROW(planned(in, merging::pages), invalid_argument);
    BOOST_CHECK_THROW(planned(in, merging::none), invalid_argument);
    BOOST_TEST(planned(in, merging::bytes).runs.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_contradiction_is_found_behind_short_ranges_too) {
    BOOST_CHECK_EXCEPTION(
        planned({at(0, 90000, 0, gpu), at(8192, 10, 1, gpu), at(50000, 10, 2, cpu)},
                merging::bytes),
        invalid_argument,
        [](const invalid_argument& e) { return e.index() == 0U && e.other_index() == 2U; });
}

BOOST_AUTO_TEST_CASE(the_text_of_a_refusal_says_what_was_given_and_what_to_do) {
    try {
        planned({at(0, 10, 0, gpu), at(20, 30, 1, cpu)}, merging::pages);
        BOOST_ERROR("planned");
    } catch (const invalid_argument& e) {
        BOOST_TEST(
            e.what() ==
            std::string("prefetch: targets[0]: 0x7f0000000000 (10 bytes) to device:0 shares a page "
                        "with targets[1], 0x7f0000000014 (30 bytes) to host; give both the same "
                        "location, or ranges that are apart"));
    }
}

BOOST_AUTO_TEST_CASE(a_planner_works_on_after_a_refusal) {
    plan::range_planner p;
    p.add(at(0, 10, 0, gpu));
    p.add(at(0, 10, 1, cpu));
    BOOST_CHECK_THROW(p.plan("prefetch", merging::pages, page), invalid_argument);
    p.clear();
    p.add(at(0, 10, 0, cpu));
    BOOST_TEST(p.plan("prefetch", merging::pages, page).size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_plan_leaves_the_elements_as_they_were_added) {
    plan::range_planner p;
    p.add(at(4096, 10, 0));
    p.add(at(0, 10, 1));
    p.plan("prefetch", merging::pages, page);
    BOOST_TEST(p.elements()[0].address == base + 4096);
    BOOST_TEST(p.plan("prefetch", merging::pages, page).size() == 1U);
}

BOOST_DATA_TEST_CASE(a_plan_is_what_looking_at_every_pair_gives, every_rule, rule) {
    plan::range_planner p;
    std::size_t contradict = 0;
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        dice d(seed);
        const auto in = random_ranges(d);
        contradict += !contradictions(in, grain_of(rule, page)).empty();
        BOOST_TEST_CONTEXT("seed " << seed)
        BOOST_TEST(fault_of_plan(p, in, rule, page) == "");
    }
    BOOST_TEST(contradict > 400U); // both were tried
    BOOST_TEST(contradict < 3600U);
}

BOOST_AUTO_TEST_CASE(a_plan_touches_the_pages_of_its_input_each_once) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        dice d(seed);
        auto in = random_ranges(d);
        for (auto& e : in)
            e.where = gpu;
        const planned p(in, merging::pages);
        const auto before = pages_touched(in);
        const auto after = pages_touched(p.runs);
        BOOST_TEST(before.size() == after.size());
        for (const auto& [address, times] : after)
            BOOST_TEST((before.contains(address) && times == 1));
    }
}

BOOST_AUTO_TEST_CASE(a_plan_of_discards_touches_the_bytes_of_its_input_each_once) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        dice d(seed);
        ranges in;
        for (std::uint32_t i = 0; i < 30; ++i)
            in.push_back(at(d.below(500), d.between(1, 20), i));
        const planned p(in, merging::bytes);
        const auto before = bytes_touched(in);
        const auto after = bytes_touched(p.runs);
        BOOST_TEST(before.size() == after.size());
        for (const auto& [address, times] : after)
            BOOST_TEST((before.contains(address) && times == 1));
    }
}

BOOST_DATA_TEST_CASE(any_order_of_adding_gives_the_same_plan, every_rule, rule) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        dice d(seed);
        auto in = random_ranges(d);
        const auto first = outcome(in, rule);
        for (int i = 0; i < 5; ++i) {
            d.shuffle(in);
            BOOST_TEST(outcome(in, rule) == first);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_plan_allocates_nothing_once_it_has_grown) {
    dice d(1);
    ranges in;
    for (std::uint32_t i = 0; i < 256; ++i)
        in.push_back(at(i * 65536, 4096, i));
    d.shuffle(in);
    plan::range_planner p;
    const auto round = [&] {
        p.clear();
        for (const auto& e : in)
            p.add(e);
        p.plan("prefetch", merging::pages, page);
    };
    BOOST_TEST(allocations_of(round) > 0U);
    BOOST_TEST(allocations_of(round) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
