// SPDX-License-Identifier: Apache-2.0
// Opening a driver: what is tried, what is said, who may use it.
#include <atomic>
#include <barrier>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "support/temporary_folder.hpp"

#include "support/machine.hpp"

using namespace cmm;
using namespace cmm::test;

namespace {

// An environment variable for one scope.
class variable {
public:
    variable(const char* name, const char* value) : name_(name) {
        if (const char* before = std::getenv(name))
            before_ = before;
        value ? ::setenv(name, value, 1) : ::unsetenv(name);
    }
    ~variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
    variable(const variable&) = delete;
    variable& operator=(const variable&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_;
};

bool says(const error& e, std::initializer_list<const char*> words) {
    const std::string text = e.what();
    for (const char* word : words)
        BOOST_TEST(text.find(word) != text.npos, "'" << word << "' is not in: " << text);
    return true;
}

// Runs `body` in a forked child; its exit status.
int in_child(const std::function<bool()>& body) {
    const auto child = ::fork();
    if (child == 0)
        ::_exit(body() ? 0 : 1);
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// In a child that shares nothing with the parent's use of the driver: the program runs itself.
int in_new_process(const char* case_name, std::initializer_list<std::pair<const char*, const char*>> env) {
    const auto child = ::fork();
    if (child == 0) {
        for (const auto& [name, value] : env)
            ::setenv(name, value, 1);
        ::setenv("CMM_TEST_INNER", "1", 1);
        const auto filter = std::string("--run_test=") + case_name;
        ::execl("/proc/self/exe", "unit_test", filter.c_str(), "--catch_system_errors=no",
                static_cast<char*>(nullptr));
        ::_exit(127);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The case is the body of another one, in a process of its own.
struct inner {
    boost::test_tools::assertion_result operator()(boost::unit_test::test_unit_id) const {
        return std::getenv("CMM_TEST_INNER") != nullptr;
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(opening)

BOOST_AUTO_TEST_CASE(a_missing_library_says_what_was_tried_and_what_to_set) {
    BOOST_CHECK_EXCEPTION(driver::open({.library = "/nowhere/libcuda.so.1"}), driver_missing,
                          [](const driver_missing& e) {
                              return says(e, {"/nowhere/libcuda.so.1", "could not be loaded",
                                              "CMM_DRIVER=sim", "install NVIDIA's driver"});
                          });
}

BOOST_AUTO_TEST_CASE(a_file_that_is_no_library_says_so) {
    const temporary_folder folder;
    const auto path = (folder.path() / "libcuda.so.1").string();
    std::ofstream(path) << "this is text\n";
    BOOST_CHECK_EXCEPTION(driver::open({.library = path}), driver_missing,
                          [&](const driver_missing& e) { return says(e, {path.c_str()}); });
}

BOOST_AUTO_TEST_CASE(a_library_without_the_drivers_symbols_says_so) {
    BOOST_CHECK_EXCEPTION(driver::open({.library = "libm.so.6"}), driver_missing,
                          [](const driver_missing& e) {
                              return says(e, {"libm.so.6", "no CUDA driver", "cuInit"});
                          });
}

BOOST_AUTO_TEST_CASE(a_driver_that_does_not_start_says_why) {
    const variable fault("CMM_SIM_FAULTS", "cuInit:1:100");
    cmm_sim_reset("");
    BOOST_CHECK_EXCEPTION(driver::open({.library = "sim"}), driver_missing,
                          [](const driver_missing& e) { return says(e, {"cuInit", "100"}); });
}

BOOST_AUTO_TEST_CASE(a_failed_open_keeps_the_driver_that_was_open) {
    const machine here;
    BOOST_CHECK_THROW(driver::open({.library = "/nowhere/lib.so"}), driver_missing);
    BOOST_CHECK_NO_THROW(managed_memory_resource().allocate(4096));
}

BOOST_AUTO_TEST_CASE(a_level_that_is_none_is_refused) {
    BOOST_CHECK_EXCEPTION(driver::open({.library = "sim", .api_level = 12}), invalid_argument,
                          [](const invalid_argument& e) {
                              return e.argument() == "api_level" && says(e, {"12", "such as 12080"});
                          });
    for (const char* text : {"abc", "12.8", "12080x", "5", "-1", "99999999999999999999"}) {
        const variable level("CMM_API_LEVEL", text);
        BOOST_CHECK_EXCEPTION(driver::open({.library = "sim"}), invalid_argument,
                              [&](const invalid_argument& e) {
                                  return e.argument() == "CMM_API_LEVEL" && says(e, {text});
                              });
    }
}

BOOST_AUTO_TEST_CASE(a_ceiling_above_the_driver_changes_nothing) {
    const machine here("version=12080", 99000);
    BOOST_TEST(driver::get_facts().level == 12080);
    BOOST_TEST(driver::get_facts().version == 12080);
}

BOOST_AUTO_TEST_CASE(the_environments_ceiling_is_used_where_none_is_named) {
    const variable level("CMM_API_LEVEL", "12020");
    const machine here;
    BOOST_TEST(driver::get_facts().level == 12020);
    driver::open({.library = "sim", .api_level = 12080});
    BOOST_TEST(driver::get_facts().level == 12080);
}

BOOST_AUTO_TEST_CASE(a_configuration_that_is_none_is_refused) {
    BOOST_CHECK_EXCEPTION(driver::open(driver::simulated{"devices=0"}), invalid_argument,
                          [](const invalid_argument& e) {
                              return e.argument() == "config" && says(e, {"devices"});
                          });
}

BOOST_AUTO_TEST_CASE(facts_tell_of_the_machine) {
    const machine here("devices=3;numa_nodes=2;concurrent=1,0,1;integrated=0,0,1");
    const auto& facts = driver::get_facts();
    BOOST_TEST(facts.simulated);
    BOOST_TEST(facts.library.find("libcmm_sim") != std::string::npos);
    BOOST_TEST(facts.numa_nodes == 2);
    BOOST_REQUIRE(facts.devices.size() == 3U);
    BOOST_TEST(!facts.devices[1].concurrent_managed_access);
    BOOST_TEST(facts.devices[2].integrated);
    BOOST_TEST(facts.devices[0].managed_memory);
    BOOST_TEST(!facts.devices[0].name.empty());
    BOOST_TEST(driver::device_without_concurrent_access() == 1);
    BOOST_TEST(driver::available());
    BOOST_TEST(facts.generation == driver::generation());
}

BOOST_AUTO_TEST_CASE(each_open_is_a_new_generation) {
    const machine here;
    const auto before = driver::generation();
    driver::open(driver::simulated{});
    BOOST_TEST(driver::generation() == before + 1);
}

BOOST_AUTO_TEST_CASE(what_was_kept_of_an_earlier_driver_is_not_used_on_the_next) {
    for (int i = 0; i < 3; ++i) {
        const machine here("devices=2");
        const stream s;
        const auto a = managed_memory_resource().allocate(4096),
                   b = managed_memory_resource().allocate(4096);
        set_current(device{0});
        prefetch({a, b}, device{1}, stream_ref::legacy());
        synchronize(stream_ref::legacy());
        driver::pop_context();
    }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(opening_in_a_new_process)

BOOST_AUTO_TEST_CASE(threads_open_it_at_once_inner, *boost::unit_test::precondition(inner{})) {
    constexpr int count = 32;
    std::barrier ready(count);
    std::atomic<int> failures{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i)
        threads.emplace_back([&] {
            ready.arrive_and_wait();
            try {
                const stream s;
                const auto a = managed_memory_resource().allocate(4096);
                prefetch(a, device{0}, s);
                s.sync();
            } catch (...) {
                ++failures;
            }
        });
    for (auto& t : threads)
        t.join();
    BOOST_TEST(failures == 0);
    BOOST_TEST(driver::generation() == 1U);
    drain();
    BOOST_TEST(live().managed_allocations == 0U);
}

BOOST_AUTO_TEST_CASE(thirty_two_threads_open_it_once) {
    BOOST_TEST(in_new_process("opening_in_a_new_process/threads_open_it_at_once_inner",
                              {{"CMM_DRIVER", "sim"}}) == 0);
}

BOOST_AUTO_TEST_CASE(nothing_is_there_inner, *boost::unit_test::precondition(inner{})) {
    BOOST_TEST(!driver::available());
    BOOST_TEST(driver::generation() == 0U);
    BOOST_CHECK_THROW(managed_memory_resource().allocate(1), driver_missing);
    BOOST_CHECK_THROW(stream(), driver_missing);
    BOOST_CHECK_THROW(device_count(), driver_missing);
    int x = 0;
    BOOST_CHECK_THROW(prefetch(range(&x, 4), device{0}, stream_ref::legacy()), driver_missing);
    BOOST_CHECK_THROW(advise(range(&x, 4), advice::set_read_mostly), driver_missing);
    BOOST_CHECK_THROW((void)read_mostly(range(&x, 4)), driver_missing);
    BOOST_CHECK_THROW(copy_batch(stream_ref::legacy(), {range(&x, 2)}, {range(&x, 2)}),
                      driver_missing);
    BOOST_CHECK_NO_THROW(collect());
    { const auto borrowed = buffer::from_handle(&x, 4); }
    stream_ref::legacy();
}

BOOST_AUTO_TEST_CASE(without_a_driver_the_first_operation_says_so) {
    BOOST_TEST(in_new_process("opening_in_a_new_process/nothing_is_there_inner",
                              {{"CMM_DRIVER", "/nowhere/libcuda.so.1"}}) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(forked_children)

BOOST_AUTO_TEST_CASE(a_child_is_told_and_frees_nothing) {
    const machine here;
    const managed_memory_resource mr;
    auto a = mr.allocate(4096), b = mr.allocate(4096);
    stream s;
    prefetch(a, device{0}, s);
    s.sync();
    cmm_sim_record_clear();
    const auto told_so = [](const std::function<void()>& call) {
        try {
            call();
        } catch (const driver_missing& e) {
            return std::string(e.what()).find("forked") != std::string::npos;
        } catch (...) {
        }
        return false;
    };
    const int status = in_child([&] {
        bool right = told_so([&] { prefetch(a, device{0}, s); }) &&
                     told_so([&] { a.read_mostly(true); }) && told_so([&] { (void)a.read_mostly(); }) &&
                     told_so([&] { copy_batch(s, {a}, {b}); }) && told_so([&] { mr.allocate(1); }) &&
                     told_so([&] { s.sync(); }) && told_so([&] { stream(); }) &&
                     told_so([&] { a.close(s); });
        right = right && !driver::available();
        a.close();
        b.close();
        s.close();
        drain();
        return right && cmm_sim_calls("cuMemFree") == 0;
    });
    BOOST_TEST(status == 0);
    BOOST_CHECK_NO_THROW(prefetch(a, device{0}, s));
    s.sync();
    BOOST_TEST(live().managed_allocations == 2U);
}

BOOST_AUTO_TEST_CASE(a_child_forked_before_first_use_works_inner,
                     *boost::unit_test::precondition(inner{})) {
    const int status = in_child([] {
        try {
            const stream s;
            const auto a = managed_memory_resource().allocate(4096);
            prefetch(a, device{0}, s);
            s.sync();
            return true;
        } catch (...) {
            return false;
        }
    });
    BOOST_TEST(status == 0);
}

BOOST_AUTO_TEST_CASE(a_child_forked_before_first_use_works) {
    BOOST_TEST(in_new_process("forked_children/a_child_forked_before_first_use_works_inner",
                              {{"CMM_DRIVER", "sim"}}) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
