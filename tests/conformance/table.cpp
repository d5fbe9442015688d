// SPDX-License-Identifier: Apache-2.0
// Reads the table, makes a test case of each of its cases, and plays them.
#include "conformance/table.hpp"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmm/sim.h>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace conformance {

const char* kind_name(int kind) {
    static constexpr const char* names[] = {"none",          "invalid_argument", "not_supported",
                                            "closed",        "driver_missing",   "driver",
                                            "out_of_memory", "internal"};
    return kind >= 0 && kind < 8 ? names[kind] : "unknown";
}

int index_in(std::initializer_list<const char*> names, const std::string& name, int first) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
        throw std::runtime_error("the table says " + name + ", which the runner does not know");
    return first + static_cast<int>(found - names.begin());
}

place place_of(const json& text) {
    if (text.is_null())
        return {0, 0};
    const auto s = text.get<std::string>();
    const auto colon = s.find(':');
    const int kind =
        index_in({"device", "host", "host_numa", "host_numa_current"}, s.substr(0, colon), 1);
    return {kind, colon == std::string::npos ? 0 : std::stoi(s.substr(colon + 1))};
}

std::string text_of(place p) {
    static constexpr const char* names[] = {"", "device", "host", "host_numa", "host_numa_current"};
    return names[p.kind] + (p.kind % 2 == 1 ? ":" + std::to_string(p.id) : std::string());
}

json simulated_step(const json& s) {
    const auto what = s.at("do").get<std::string>();
    if (what == "fault")
        return cmm_sim_fault(s.at("entry").get<std::string>().c_str(), s.at("nth"),
                             s.at("result")) == 0;
    if (what == "calls")
        return cmm_sim_calls(s.at("entry").get<std::string>().c_str());
    if (what == "record_clear")
        return cmm_sim_record_clear(), true;
    if (what == "hold")
        return cmm_sim_hold(), true;
    if (what == "release")
        return cmm_sim_release(), true;
    return nullptr;
}

namespace {

// What is expected is there: of an object the fields that are given, of a set its elements in any
// order.
bool matches(json expected, json got) {
    if (expected.is_array() && got.is_array()) {
        std::sort(expected.begin(), expected.end());
        std::sort(got.begin(), got.end());
    }
    if (!expected.is_object())
        return expected == got;
    for (const auto& [field, value] : expected.items()) {
        if (field == "text" &&
            got.value("text", "").find(value.get<std::string>()) != std::string::npos)
            continue;
        if (!got.contains(field) || got[field] != value)
            return false;
    }
    return true;
}

void play_step(machine& m, const json& s) {
    json got;
    bool failed = false;
    try {
        got = m.step(s);
    } catch (const refused& r) {
        got = r.what;
        failed = true;
    }
    const auto expectation = s.contains("error") ? "error" : s.contains("report") ? "report" : "is";
    if (failed != s.contains("error") || (s.contains(expectation) && !matches(s[expectation], got)))
        throw std::runtime_error(s.dump() + (failed ? " failed with " : " answered ") + got.dump());
}

void play(const json& c) {
    BOOST_REQUIRE(!c.at("steps").empty());
    const auto m = make_machine();
    m->open(c.value("config", ""), c.value("api_level", 0));
    try {
        for (const auto& s : c.at("steps"))
            play_step(*m, s);
    } catch (const std::exception& e) {
        BOOST_ERROR(e.what());
    }
    cmm_sim_release();
    m->finish();
    BOOST_TEST(cmm_sim_use_after_free_count() == 0U, cmm_sim_use_after_free_report());
    cmm_sim_live left{};
    cmm_sim_live_counts(&left);
    BOOST_TEST(left.managed_allocations == 0U);
}

const json& table() {
    static const json t = json::parse(std::ifstream(CMM_CONFORMANCE_TABLE));
    return t;
}

// In place before main looks at what tests there are.
const bool registered = [] {
    auto& suite = boost::unit_test::framework::master_test_suite();
    auto* cases = BOOST_TEST_SUITE("conformance");
    for (const auto& c : table().at("cases"))
        cases->add(boost::unit_test::make_test_case(
            [&c] { play(c); }, c.at("name").get<std::string>(), __FILE__, __LINE__));
    suite.add(cases);
    return true;
}();

} // namespace
} // namespace conformance
