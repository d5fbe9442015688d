// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <boost/test/data/test_case.hpp>

using namespace machine_test;
namespace data = boost::unit_test::data;

namespace {

struct expectation {
    const char* name;
    int since;
};
constexpr expectation newcomers[] = {
    {"cuMemPoolCreate", 11020},
    {"cuStreamGetId", 12000},
    {"cuMemcpyBatchAsync", 12080},
    {"cuStreamGetDevice", 12080},
    {"cuMemPrefetchBatchAsync", 13000},
    {"cuMemDiscardBatchAsync", 13000},
    {"cuMemGetDefaultMemPool", 13000},
    {"cuMemDiscardAndPrefetchBatchAsync", 13000},
    {"cuMemcpyWithAttributesAsync", 13020},
};
constexpr int drivers[] = {11080, 12000, 12020, 12080, 12090, 13000, 13020};

std::ostream& operator<<(std::ostream& out, const expectation& of) { return out << of.name; }

std::string configured(int version) { return "version=" + std::to_string(version); }

} // namespace

BOOST_AUTO_TEST_SUITE(versions)

BOOST_DATA_TEST_CASE(a_driver_says_its_version, data::make(drivers), version) {
    const machine on(configured(version));
    BOOST_TEST(on.driver().version() == version);
}

BOOST_DATA_TEST_CASE(a_driver_has_what_its_version_has, data::make(drivers) * data::make(newcomers),
                     version, newcomer) {
    const machine on(configured(version));
    const bool there = on.driver().find(newcomer.name, version).function != nullptr;
    BOOST_TEST(there == (version >= newcomer.since));
}

BOOST_AUTO_TEST_CASE(two_forms_of_one_name_are_two_functions) {
    const machine on;
    const auto& driver = on.driver();
    BOOST_TEST(driver.find("cuMemAdvise", 8000).function !=
               driver.find("cuMemAdvise", 12020).function);
    BOOST_TEST(driver.find("cuMemAdvise", 12010).function ==
               driver.find("cuMemAdvise", 8000).function);
    BOOST_TEST(driver.find("cuMemAdvise", 13000).function ==
               driver.find("cuMemAdvise", 12020).function);
}

BOOST_AUTO_TEST_CASE(before_12_0_the_look_up_has_no_status_and_says_not_found) {
    const machine on("version=11080");
    using look_up = int (*)(const char*, void**, int, std::uint64_t);
    const auto older = reinterpret_cast<look_up>(on.driver().symbol("cuGetProcAddress"));
    void* function = nullptr;
    BOOST_TEST(older("cuMemAdvise", &function, 11080, std::uint64_t{0}) == success);
    BOOST_TEST(function != nullptr);
    BOOST_TEST(older("cuMemcpyBatchAsync", &function, 11080, std::uint64_t{0}) == not_found);
    BOOST_TEST(function == nullptr);
    BOOST_TEST(older("cuMemAdvise", &function, 12000, std::uint64_t{0}) == invalid_value);
}

BOOST_AUTO_TEST_CASE(before_12_0_the_look_up_with_a_status_is_not_supported) {
    const machine on("version=11080");
    using look_up = int (*)(const char*, void**, int, std::uint64_t, int*);
    const auto newer = reinterpret_cast<look_up>(on.driver().symbol("cuGetProcAddress_v2"));
    void* function = nullptr;
    int status = 0;
    BOOST_TEST(newer("cuMemAdvise", &function, 11080, std::uint64_t{0}, &status) == not_supported);
}

BOOST_AUTO_TEST_CASE(a_hidden_name_is_unknown_although_the_version_promises_it) {
    const machine on("hide=cuMemPrefetchBatchAsync");
    const auto found = on.driver().find("cuMemPrefetchBatchAsync", 13000);
    BOOST_TEST(found.code == success);
    BOOST_TEST(found.status == 1);
    BOOST_TEST(found.function == nullptr);
    BOOST_TEST(on.driver().find("cuMemDiscardBatchAsync", 13000).function != nullptr);
}

BOOST_AUTO_TEST_CASE(one_version_of_a_name_can_be_hidden) {
    const machine on("hide=cuMemcpyBatchAsync@13000");
    const auto& driver = on.driver();
    BOOST_TEST(driver.find("cuMemcpyBatchAsync", 13000).function != nullptr);
    BOOST_TEST(driver.find("cuMemcpyBatchAsync", 13000).function ==
               driver.find("cuMemcpyBatchAsync", 12080).function);
}

BOOST_AUTO_TEST_CASE(range_attributes_of_12_2_are_unknown_before) {
    const machine on("version=12010");
    const pointer memory = on.managed(page);
    int value = 0;
    const auto ask = [&](int attribute) {
        return on("cuMemRangeGetAttribute", 8000, static_cast<void*>(&value), sizeof value,
                  attribute, memory, page);
    };
    BOOST_TEST(ask(2) == success);
    BOOST_TEST(ask(5) == invalid_value);
}

BOOST_AUTO_TEST_CASE(the_per_thread_flag_gives_functions_whose_null_stream_is_per_thread) {
    const machine on;
    constexpr std::uint64_t per_thread_flag = 2;
    const auto found = on.driver().find("cuStreamGetId", 12000, per_thread_flag);
    const auto get_id = reinterpret_cast<int (*)(opaque, std::uint64_t*)>(found.function);
    std::uint64_t of_null = 0, of_per_thread = 0, of_legacy = 0;
    BOOST_TEST(get_id(driver::null_stream, &of_null) == success);
    BOOST_TEST(on("cuStreamGetId", 12000, driver::per_thread, &of_per_thread) == success);
    BOOST_TEST(on("cuStreamGetId", 12000, driver::null_stream, &of_legacy) == success);
    BOOST_TEST(of_null == of_per_thread);
    BOOST_TEST(of_null != of_legacy);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(configuration)

BOOST_AUTO_TEST_CASE(what_cannot_be_meant_is_refused_with_key_and_value) {
    for (const char* text :
         {"version=10000", "devices=0", "devices=65", "page_size=5000", "page_size=1",
          "concurrent=2", "seed=x", "faults=cuMemFree", "explain=yes"}) {
        BOOST_TEST(cmm_sim_reset(text) == -1);
        const std::string key(text, std::string(text).find('='));
        BOOST_TEST(std::string(cmm_sim_message()).find(key) != std::string::npos,
                   cmm_sim_message());
    }
    BOOST_TEST(cmm_sim_reset("colour=blue") == -1);
    BOOST_TEST(cmm_sim_reset("devices") == -1);
    BOOST_TEST(cmm_sim_reset("devices=3;concurrent=1,0") == -1);
}

BOOST_AUTO_TEST_CASE(a_refused_configuration_changes_nothing) {
    const machine on("version=12080");
    const pointer memory = on.managed(page);
    BOOST_TEST(cmm_sim_reset("version=0") == -1);
    BOOST_TEST(on.driver().version() == 12080);
    BOOST_TEST(on.free(memory) == success);
}

BOOST_AUTO_TEST_CASE(pairs_are_separated_by_semicolons_or_lines) {
    const machine on("devices=2\nnuma_nodes=4; version=12090");
    int count = 0;
    BOOST_TEST(on("cuDeviceGetCount", 2000, &count) == success);
    BOOST_TEST(count == 2);
    BOOST_TEST(cmm_sim_numa_nodes() == 4);
    BOOST_TEST(on.driver().version() == 12090);
}

BOOST_AUTO_TEST_CASE(a_reset_starts_afresh) {
    const machine on;
    on.managed(mib);
    on.stream();
    on.event();
    BOOST_TEST(cmm_sim_fault("cuMemFree", 1, invalid_value) == 0);
    BOOST_TEST(cmm_sim_reset("") == 0);
    const cmm_sim_live left = live();
    BOOST_TEST(left.managed_allocations == 0u);
    BOOST_TEST(left.streams == 0u);
    BOOST_TEST(left.events == 0u);
    BOOST_TEST(left.contexts == 0u);
    BOOST_TEST(left.context_stack == 0u);
    BOOST_TEST(cmm_sim_record_count() == 0u);
    on.use(on.primary());
    BOOST_TEST(on.free(on.managed(page)) == success);
}

BOOST_AUTO_TEST_SUITE_END()
