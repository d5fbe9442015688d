// SPDX-License-Identifier: Apache-2.0
// Errors: what they say, and what a program can read from them.
#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>

import cmm.error;

using namespace cmm;

BOOST_AUTO_TEST_SUITE(errors)

BOOST_AUTO_TEST_CASE(the_text_names_operation_argument_and_index) {
    BOOST_TEST(error_text({"prefetch", "targets", 3}, "is not managed memory") ==
               "prefetch: targets[3]: is not managed memory");
}

BOOST_AUTO_TEST_CASE(an_argument_without_an_index_stands_alone) {
    BOOST_TEST(error_text({"prefetch", "stream"}, "is closed") == "prefetch: stream: is closed");
}

BOOST_AUTO_TEST_CASE(a_failure_of_no_argument_names_the_operation_only) {
    BOOST_TEST(error_text({"prefetch", {}, 3}, "failed") == "prefetch: failed");
}

BOOST_AUTO_TEST_CASE(the_place_can_be_read) {
    const invalid_argument e({"copy_batch", "dsts", 1, 4}, "overlaps dsts[4]");
    BOOST_TEST(e.what() == std::string("copy_batch: dsts[1]: overlaps dsts[4]"));
    BOOST_TEST(e.argument() == "dsts");
    BOOST_TEST((e.index() == 1U && e.other_index() == 4U));
}

BOOST_AUTO_TEST_CASE(a_failure_without_a_place_has_none) {
    const closed e({"prefetch", "stream"}, "is closed");
    BOOST_TEST((!e.index() && !e.other_index()));
}

BOOST_AUTO_TEST_CASE(the_place_outlives_the_text_it_was_made_from) {
    std::optional<invalid_argument> e;
    {
        const std::string argument = "an argument whose name is not short";
        e.emplace(error_site{"advise", argument, 0}, "is wrong");
    }
    BOOST_TEST(e->argument() == "an argument whose name is not short");
}

BOOST_AUTO_TEST_CASE(every_class_has_its_kind_and_is_an_error) {
    const error_site site{"advise", "x"};
    const auto kind = [](const error& e) { return e.kind(); };
    BOOST_CHECK(kind(invalid_argument(site, "")) == error_kind::invalid_argument);
    BOOST_CHECK(kind(not_supported(site, "")) == error_kind::not_supported);
    BOOST_CHECK(kind(closed(site, "")) == error_kind::closed);
    BOOST_CHECK(kind(driver_missing("")) == error_kind::driver_missing);
    BOOST_CHECK(kind(driver_error(error_kind::driver, site, "", 1, "", "", 0)) ==
                error_kind::driver);
    BOOST_CHECK(kind(out_of_memory(error_kind::out_of_memory, site, "", 2, "", "", 0)) ==
                error_kind::out_of_memory);
}

BOOST_AUTO_TEST_CASE(a_driver_error_carries_what_the_driver_said) {
    const driver_error e(error_kind::driver, {"prefetch", "targets", 2}, "failed", 1,
                         "CUDA_ERROR_INVALID_VALUE", "cuMemPrefetchAsync", 5);
    BOOST_TEST(e.code() == 1);
    BOOST_TEST(e.name() == "CUDA_ERROR_INVALID_VALUE");
    BOOST_TEST(e.entry() == "cuMemPrefetchAsync");
    BOOST_TEST(e.issued() == 5U);
}

BOOST_AUTO_TEST_CASE(out_of_memory_is_caught_as_a_driver_error) {
    const auto fail = [] {
        throw out_of_memory(error_kind::out_of_memory, {"allocate", "bytes"}, "no room", 2,
                            "CUDA_ERROR_OUT_OF_MEMORY", "cuMemAllocManaged", 0);
    };
    BOOST_CHECK_THROW(fail(), driver_error);
}

BOOST_AUTO_TEST_SUITE_END()
