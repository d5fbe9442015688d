// SPDX-License-Identifier: Apache-2.0
// What happens around the driver's process: forks, faults of the host, leaving with work in flight.
#include "machine.hpp"

#include <csignal>
#include <cstdlib>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

using namespace machine_test;

namespace {

/// The status that a child ends with which runs `body`; the alarm ends one that hangs.
template <class Body> int status_of_child(Body body) {
    const pid_t child = fork();
    BOOST_TEST_REQUIRE(child >= 0);
    if (child == 0) {
        std::signal(SIGABRT, SIG_DFL);
        std::signal(SIGSEGV, SIG_DFL);
        alarm(20);
        _exit(body());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

/// Runs the helper program, which leaves its process in the way that is asked for.
int status_of_leaving(const std::string& how) {
    return std::system(("timeout 20 " CMM_SIM_LEAVE " " CMM_SIM_LIBRARY " " + how).c_str());
}

} // namespace

BOOST_AUTO_TEST_SUITE(processes)

BOOST_AUTO_TEST_CASE(a_forked_child_is_told_that_it_has_no_driver) {
    const machine on;
    const pointer memory = on.managed(page);
    const opaque stream = on.stream();
    const int status = status_of_child([&] {
        int count = 0;
        pointer own = 0;
        const bool told = on("cuInit", 2000, 0U) == not_initialized &&
                          on("cuDeviceGetCount", 2000, &count) == not_initialized &&
                          on("cuMemAllocManaged", 6000, &own, page, 1U) == not_initialized &&
                          on.free(memory) == not_initialized && on.sync(stream) == not_initialized;
        return told ? 0 : 1;
    });
    BOOST_TEST((WIFEXITED(status) && WEXITSTATUS(status) == 0));
    BOOST_TEST(on.free(memory) == success);
}

BOOST_AUTO_TEST_CASE(a_child_forked_while_work_is_held_back_does_not_hang) {
    const machine on;
    const pointer memory = on.managed(page);
    const opaque stream = on.stream();
    const holding back;
    on.fill(memory, 1, page, stream);
    const int status = status_of_child([&] {
        return on("cuCtxSynchronize", 2000) == not_initialized && cmm_sim_reset("") == -1 ? 0 : 1;
    });
    BOOST_TEST((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

BOOST_AUTO_TEST_CASE(the_host_cannot_touch_device_memory) {
    const machine on;
    const pointer far = on.device_memory(page);
    const int status =
        status_of_child([&] { return int{*static_cast<volatile unsigned char*>(bytes_at(far))}; });
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
    BOOST_TEST(status != 0); // the sanitizer has a handler of its own, which exits
#else
    BOOST_TEST((WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV));
#endif
}

BOOST_AUTO_TEST_CASE(a_process_may_leave_with_work_in_flight) {
    BOOST_TEST(status_of_leaving("work") == 0);
    BOOST_TEST(status_of_leaving("held") == 0);
    BOOST_TEST(status_of_leaving("callback") == 0);
    BOOST_TEST(status_of_leaving("thread") == 0);
}

BOOST_AUTO_TEST_CASE(after_the_end_the_driver_says_so) {
    BOOST_TEST(status_of_leaving("late") == 0);
}

BOOST_AUTO_TEST_CASE(a_host_access_to_device_memory_is_explained_when_asked_for) {
    const std::string command =
        "CMM_SIM_EXPLAIN=1 " CMM_SIM_LEAVE " " CMM_SIM_LIBRARY " touch 2>&1";
    FILE* output = popen(command.c_str(), "r");
    BOOST_TEST_REQUIRE(output != nullptr);
    std::string text(4096, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), output));
    BOOST_TEST(pclose(output) != 0);
    BOOST_TEST(text.find("touched device memory") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(a_wrong_environment_fails_the_start_with_a_reason) {
    const std::string command =
        "CMM_SIM_DEVICES=none " CMM_SIM_LEAVE " " CMM_SIM_LIBRARY " work 2>&1";
    FILE* output = popen(command.c_str(), "r");
    BOOST_TEST_REQUIRE(output != nullptr);
    std::string text(4096, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), output));
    BOOST_TEST(pclose(output) != 0);
    BOOST_TEST(text.find("devices=none") != std::string::npos, text);
}

BOOST_AUTO_TEST_SUITE_END()
