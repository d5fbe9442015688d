// SPDX-License-Identifier: Apache-2.0
// Replays the vectors, each case a test. CMM_TEST_DRIVER names another library than the simulated
// driver, such as libcuda.so.1, and CMM_TEST_VECTORS another folder than that of the sources.
#include "vectors.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <iostream>

namespace {

namespace tests = boost::unit_test;

std::string setting(const char* name, const char* otherwise) {
    const char* given = std::getenv(name);
    return given != nullptr && *given != '\0' ? given : otherwise;
}

/// The driver, started, with the primary context of device 0 current.
const driver::library& started_driver() {
    static const auto& driver = []() -> const driver::library& {
        auto& opened = *new driver::library(setting("CMM_TEST_DRIVER", CMM_SIM_LIBRARY));
        driver::opaque context = nullptr;
        const int code = opened.call("cuInit", 2000, 0U);
        if (code != 0)
            throw std::runtime_error("cuInit: " + opened.name_of(code));
        BOOST_TEST_REQUIRE(opened.call("cuDevicePrimaryCtxRetain", 7000, &context, 0) == 0);
        BOOST_TEST_REQUIRE(opened.call("cuCtxPushCurrent", 4000, context) == 0);
        return opened;
    }();
    return driver;
}

void play_case(const vectors::vector_case& played) {
    const driver::library& driver = started_driver();
    if (driver.version() < played.needs) {
        std::cout << "the case is skipped because precondition failed: it needs CUDA "
                  << played.needs << "\n";
        return;
    }
    for (const auto& [line, step, wanted, got] : vectors::play(driver, played))
        BOOST_ERROR(played.file.filename().string() << ":" << line << ": " << step << "\n  wanted: "
                                                    << wanted << "\n  got:    " << got);
    BOOST_TEST(!played.steps.empty());
}

// The cases are known to Boost.Test before main, like those written in C++.
struct registration {
    registration() {
        std::vector<std::filesystem::path> files;
        for (const auto& file :
             std::filesystem::directory_iterator(setting("CMM_TEST_VECTORS", CMM_VECTORS)))
            if (file.path().extension() == ".txt")
                files.push_back(file.path());
        std::ranges::sort(files);
        for (const auto& file : files)
            add(file);
    }

    static void add(const std::filesystem::path& file) {
        auto* suite = new tests::test_suite(file.stem().string(), __FILE__, __LINE__);
        for (const auto& each : vectors::read(file))
            suite->add(
                new tests::test_case(each.name, __FILE__, __LINE__, [each] { play_case(each); }));
        tests::framework::current_auto_test_suite().add(suite);
    }
};
const registration registered;

} // namespace
