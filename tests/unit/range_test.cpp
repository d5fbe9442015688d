// SPDX-License-Identifier: Apache-2.0
// Ranges and the pages they touch.
#include "support/random.hpp"
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unistd.h>

import cmm.error;
import cmm.range;

using namespace cmm;

namespace {
constexpr page_size page{4096};
constexpr std::uintptr_t last_page = UINTPTR_MAX - 4095;
} // namespace

BOOST_AUTO_TEST_SUITE(ranges)

BOOST_AUTO_TEST_CASE(a_range_knows_both_its_ends) {
    constexpr range r(std::uintptr_t{100}, 20);
    BOOST_TEST((r.begin() == 100U && r.end() == 120U && r.bytes() == 20U && !r.empty()));
    BOOST_TEST(range().empty());
}

BOOST_AUTO_TEST_CASE(a_range_of_a_pointer_begins_there) {
    const int value = 0;
    BOOST_TEST(range(&value, sizeof value).begin() == reinterpret_cast<std::uintptr_t>(&value));
}

BOOST_AUTO_TEST_CASE(a_range_never_wraps) {
    BOOST_CHECK_THROW(range(std::uintptr_t{1}, SIZE_MAX), invalid_argument);
    BOOST_CHECK_THROW(range(last_page, 4096), invalid_argument);
    BOOST_TEST(range(last_page, 4095).end() == UINTPTR_MAX);
}

BOOST_AUTO_TEST_CASE(the_refusal_says_what_was_given) {
    BOOST_CHECK_EXCEPTION(range(std::uintptr_t{16}, SIZE_MAX), invalid_argument,
                          [](const invalid_argument& e) {
                              const std::string text = e.what();
                              return text.find("18446744073709551615 bytes") != std::string::npos &&
                                     text.find("address 16") != std::string::npos;
                          });
}

BOOST_AUTO_TEST_CASE(ranges_that_touch_do_not_overlap) {
    const range a(std::uintptr_t{100}, 20);
    BOOST_TEST(!a.overlaps({std::uintptr_t{120}, 5}));
    BOOST_TEST(!a.overlaps({std::uintptr_t{90}, 10}));
    BOOST_TEST(a.overlaps({std::uintptr_t{119}, 1}));
    BOOST_TEST(a.overlaps({std::uintptr_t{0}, 1000}));
}

BOOST_AUTO_TEST_CASE(an_empty_range_overlaps_nothing) {
    BOOST_TEST(!range(std::uintptr_t{110}, 0).overlaps({std::uintptr_t{100}, 20}));
    BOOST_TEST(!range(std::uintptr_t{100}, 20).overlaps({std::uintptr_t{110}, 0}));
}

BOOST_AUTO_TEST_CASE(a_range_contains_itself_and_what_lies_within) {
    const range a(std::uintptr_t{100}, 20);
    BOOST_TEST(a.contains(a));
    BOOST_TEST(a.contains({std::uintptr_t{110}, 10}));
    BOOST_TEST(!a.contains({std::uintptr_t{110}, 11}));
    BOOST_TEST(!a.contains({std::uintptr_t{99}, 2}));
}

BOOST_AUTO_TEST_CASE(one_byte_touches_its_whole_page) {
    BOOST_TEST((pages_of({std::uintptr_t{4097}, 1}, page) == range(std::uintptr_t{4096}, 4096)));
    BOOST_TEST((pages_of({std::uintptr_t{4095}, 2}, page) == range(std::uintptr_t{0}, 8192)));
}

BOOST_AUTO_TEST_CASE(whole_pages_are_not_widened) {
    BOOST_TEST((pages_of({std::uintptr_t{8192}, 4096}, page) == range(std::uintptr_t{8192}, 4096)));
}

BOOST_AUTO_TEST_CASE(an_empty_range_touches_no_page) {
    BOOST_TEST(pages_of({std::uintptr_t{5000}, 0}, page).empty());
}

BOOST_AUTO_TEST_CASE(rounding_up_stops_at_the_end_of_the_address_space) {
    BOOST_TEST(page.up(UINTPTR_MAX) == last_page);
    BOOST_TEST(page.up(last_page) == last_page);
    BOOST_TEST(page.up(last_page - 1) == last_page);
}

BOOST_AUTO_TEST_CASE(the_roundings_are_the_nearest_multiples) {
    test::dice d(1);
    for (int i = 0; i < 10000; ++i) {
        const page_size p(std::size_t{1} << d.below(22));
        const auto address = static_cast<std::uintptr_t>(d.next() >> d.between(1, 60));
        BOOST_TEST(p.down(address) == address / p.bytes() * p.bytes());
        BOOST_TEST(p.up(address) == (address + p.bytes() - 1) / p.bytes() * p.bytes());
    }
}

BOOST_AUTO_TEST_CASE(the_page_size_is_the_systems) {
    BOOST_TEST(page_size::of_system().bytes() == static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
}

BOOST_AUTO_TEST_SUITE_END()
