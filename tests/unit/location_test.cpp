// SPDX-License-Identifier: Apache-2.0
// Locations: which exist, and that they are values.
#include <algorithm>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <vector>

import cmm.error;
import cmm.location;

using namespace cmm;
namespace data = boost::unit_test::data;

// What is no ordinal does not compile.
static_assert(std::is_constructible_v<device, int> &&
              std::is_constructible_v<device, std::uint64_t>);
static_assert(!std::is_constructible_v<device, bool>);
static_assert(!std::is_constructible_v<device, double>);
static_assert(!std::is_constructible_v<device, const char*>);
static_assert(!std::is_convertible_v<int, device>);
static_assert(!std::is_convertible_v<int, location>);
static_assert(std::is_convertible_v<device, location> && std::is_convertible_v<host, location>);
static_assert(std::is_trivially_copyable_v<location>);

// The common ones cost nothing at run time.
static_assert(location(device{3}).id() == 3);
static_assert(host::numa(1) != location(host{}));

namespace {

const std::vector<location> all_sorts = {device{0},     device{1},     host{},
                                         host::numa(0), host::numa(1), host::numa_current()};

bool is_refusal(const invalid_argument& e) {
    return std::string(e.what()).find("allowed are 0 to 2147483647") != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_SUITE(locations)

BOOST_AUTO_TEST_CASE(a_negative_ordinal_is_refused) {
    BOOST_CHECK_EXCEPTION(device{-1}, invalid_argument, is_refusal);
    BOOST_CHECK_EXCEPTION(host::numa(-1), invalid_argument, is_refusal);
    BOOST_CHECK_EXCEPTION(device{INT64_MIN}, invalid_argument, is_refusal);
}

BOOST_AUTO_TEST_CASE(an_ordinal_that_the_driver_cannot_be_told_is_refused) {
    BOOST_CHECK_EXCEPTION(device{2147483648}, invalid_argument, is_refusal);
    BOOST_CHECK_EXCEPTION(device{UINT64_MAX}, invalid_argument, is_refusal);
    BOOST_CHECK_EXCEPTION(host::numa(std::int64_t{1} << 32), invalid_argument, is_refusal);
    BOOST_TEST(device{2147483647}.ordinal() == 2147483647);
}

BOOST_AUTO_TEST_CASE(the_refusal_says_what_was_given) {
    BOOST_CHECK_EXCEPTION(device{-7}, invalid_argument, [](const invalid_argument& e) {
        return e.argument() == "device" && std::string(e.what()).find("-7 ") != std::string::npos;
    });
    BOOST_CHECK_EXCEPTION(device{UINT64_MAX}, invalid_argument, [](const invalid_argument& e) {
        return std::string(e.what()).find("18446744073709551615 ") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(equal_are_kind_and_id_together) {
    for (std::size_t i = 0; i < all_sorts.size(); ++i)
        for (std::size_t j = 0; j < all_sorts.size(); ++j)
            BOOST_TEST((all_sorts[i] == all_sorts[j]) == (i == j));
}

BOOST_AUTO_TEST_CASE(the_order_is_by_kind_and_then_by_id) {
    auto turned = all_sorts;
    std::ranges::reverse(turned);
    std::ranges::sort(turned);
    BOOST_TEST((turned == all_sorts));
    BOOST_TEST((device{0} < device{1}));
    BOOST_TEST(std::set<location>(all_sorts.begin(), all_sorts.end()).size() == all_sorts.size());
}

BOOST_AUTO_TEST_CASE(equal_locations_have_equal_hashes_and_others_do_not) {
    std::unordered_set<location> set(all_sorts.begin(), all_sorts.end());
    set.insert(location(device{1}));
    BOOST_TEST(set.size() == all_sorts.size());
    std::set<std::size_t> hashes;
    for (const auto& l : all_sorts)
        hashes.insert(std::hash<location>{}(l));
    BOOST_TEST(hashes.size() == all_sorts.size());
}

BOOST_AUTO_TEST_CASE(each_prints_what_it_is) {
    std::vector<std::string> texts;
    for (const auto& l : all_sorts)
        texts.push_back(to_string(l));
    const std::vector<std::string> wanted = {"device:0",    "device:1",    "host",
                                             "host_numa:0", "host_numa:1", "host_numa_current"};
    BOOST_TEST(texts == wanted, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_has_no_id_has_id_zero) {
    BOOST_TEST(location(host{}).id() == 0);
    BOOST_TEST(host::numa_current().id() == 0);
    BOOST_TEST(host::numa(5).id() == 5);
}

BOOST_AUTO_TEST_CASE(device_and_numa_are_told_apart) {
    BOOST_TEST(location(device{0}).is_device());
    BOOST_TEST(!location(host{}).is_device());
    BOOST_TEST(!location(host{}).is_numa());
    BOOST_TEST(host::numa(0).is_numa());
    BOOST_TEST(host::numa_current().is_numa());
}

BOOST_AUTO_TEST_CASE(kind_and_id_make_the_location_again) {
    for (const auto& l : all_sorts)
        BOOST_TEST((location::from(static_cast<std::int32_t>(l.kind()), l.id()) == l));
}

BOOST_AUTO_TEST_CASE(an_id_does_not_count_where_the_kind_has_none) {
    BOOST_TEST((location::from(2, 99) == location(host{})));
    BOOST_TEST((location::from(4, -1) == host::numa_current()));
}

BOOST_DATA_TEST_CASE(a_kind_that_is_none_of_the_four_is_refused, data::make({0, 5, -1}), kind) {
    BOOST_CHECK_EXCEPTION(
        location::from(kind, 0), invalid_argument, [&](const invalid_argument& e) {
            return e.argument() == "kind" &&
                   std::string(e.what()).find(std::to_string(kind) + " is no kind") !=
                       std::string::npos;
        });
}

BOOST_DATA_TEST_CASE(an_id_out_of_range_is_refused, data::make({1, 3}), kind) {
    BOOST_CHECK_EXCEPTION(location::from(kind, -1), invalid_argument, is_refusal);
    BOOST_CHECK_EXCEPTION(location::from(kind, std::int64_t{1} << 31), invalid_argument,
                          is_refusal);
}

BOOST_AUTO_TEST_SUITE_END()
