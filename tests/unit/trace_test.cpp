// SPDX-License-Identifier: Apache-2.0
// Traces: what a sink and a file get, also when the program dies, from many threads, or not at all.
#include "support/temporary_folder.hpp"
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

import cmm.error;
import cmm.trace;

using namespace cmm;
using nlohmann::json;
using test::temporary_folder;

namespace {

trace::event sample(std::string_view operation) {
    return {.operation = operation,
            .detail = "device:0",
            .ranges_in = 64,
            .ranges_out = 1,
            .calls = 2,
            .bytes = 4096,
            .entry = "cuMemPrefetchAsync@8000",
            .strategy = "per_range",
            .reason = "one run",
            .ignored = "a hint",
            .error = "a failure",
            .stream = 0x10,
            .begin_ns = 5000,
            .end_ns = 7500,
            .address = 0x7f0000000000};
}

std::string text_of(const std::filesystem::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

json events_in(const std::filesystem::path& path) { return json::parse(text_of(path)); }

// Runs `body` in a child process; gives how it ended, as waitpid tells it.
template <class Body> int status_of_child(Body body) {
    const auto child = ::fork();
    if (child == 0) {
        body();
        ::_exit(0);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
}

struct run_result {
    int status;
    std::string output;
};

// This program once more, with an environment, running one case.
run_result run_again(const std::string& environment, const std::string& test) {
    const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
    const auto command = environment + " '" + self + "' --run_test=" + test + " 2>&1";
    auto* pipe = ::popen(command.c_str(), "r");
    std::string output;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
        output += static_cast<char>(c);
    return {::pclose(pipe), output};
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

std::size_t lines_with(const std::string& text, std::string_view part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

// Leaves no way out open behind a case.
struct quiet_again {
    ~quiet_again() {
        trace::set_sink(nullptr, nullptr);
        trace::to_file("");
        trace::to_nvtx(false);
        set_warning_handler(nullptr, nullptr);
        reset_warnings();
    }
};

void count_events(const trace::event&, void* user) noexcept {
    ++*static_cast<std::atomic<int>*>(user);
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(traces, quiet_again)

BOOST_AUTO_TEST_CASE(it_is_on_while_somebody_listens) {
    const temporary_folder folder;
    BOOST_TEST(!trace::on());
    std::atomic<int> events = 0;
    trace::set_sink(count_events, &events);
    BOOST_TEST(trace::on());
    trace::to_file((folder.path() / "trace.json").string());
    trace::set_sink(nullptr, nullptr);
    BOOST_TEST(trace::on());
    trace::to_file("");
    BOOST_TEST(!trace::on());
}

BOOST_AUTO_TEST_CASE(a_sink_gets_every_event_until_it_is_taken_away) {
    std::atomic<int> events = 0;
    trace::set_sink(count_events, &events);
    trace::emit(sample("prefetch"));
    trace::emit(sample("discard"));
    trace::set_sink(nullptr, nullptr);
    trace::emit(sample("advise"));
    BOOST_TEST(events == 2);
}

BOOST_AUTO_TEST_CASE(a_sink_sees_the_event_itself) {
    std::string seen;
    trace::set_sink(
        [](const trace::event& e, void* user) noexcept {
            *static_cast<std::string*>(user) =
                std::string(e.operation) + ' ' + std::string(e.reason);
        },
        &seen);
    trace::emit(sample("prefetch"));
    BOOST_TEST(seen == "prefetch one run");
}

BOOST_AUTO_TEST_CASE(the_file_holds_every_field) {
    const temporary_folder folder;
    const auto path = folder.path() / "trace.json";
    trace::to_file(path.string());
    trace::emit(sample("prefetch"));
    trace::to_file("");
    const auto events = events_in(path);
    BOOST_TEST_REQUIRE(events.size() == 2U);
    BOOST_TEST(events[0]["ph"] == "M");
    const auto& e = events[1];
    BOOST_TEST(e["name"] == "prefetch");
    BOOST_TEST(e["cat"] == "cmm");
    BOOST_TEST(e["ph"] == "X");
    BOOST_TEST(e["ts"] == 5.0);
    BOOST_TEST(e["dur"] == 2.5);
    BOOST_TEST(e["pid"] == ::getpid());
    BOOST_TEST(e["tid"] == ::gettid());
    const json wanted = {{"detail", "device:0"},    {"ranges_in", 64},
                         {"ranges_out", 1},         {"calls", 2},
                         {"bytes", 4096},           {"entry", "cuMemPrefetchAsync@8000"},
                         {"strategy", "per_range"}, {"reason", "one run"},
                         {"ignored", "a hint"},     {"error", "a failure"},
                         {"stream", "0x10"},        {"address", "0x7f0000000000"}};
    BOOST_TEST(e["args"] == wanted);
}

BOOST_AUTO_TEST_CASE(an_event_without_times_stands_where_it_was_emitted) {
    const temporary_folder folder;
    const auto path = folder.path() / "trace.json";
    trace::to_file(path.string());
    const auto before = trace::now_ns();
    trace::emit({.operation = "free"});
    const auto after = trace::now_ns();
    trace::to_file("");
    const double ts = events_in(path)[1]["ts"];
    BOOST_TEST(
        (ts >= static_cast<double>(before) / 1000 && ts <= static_cast<double>(after) / 1000));
    BOOST_TEST(events_in(path)[1]["dur"] == 0.0);
}

BOOST_AUTO_TEST_CASE(any_text_is_escaped) {
    const temporary_folder folder;
    const auto path = folder.path() / "trace.json";
    trace::to_file(path.string());
    trace::emit({.operation = "quote \" backslash \\ line \n zero-less \x01 end",
                 .detail = "no UTF-8: \xff\xc3"});
    trace::to_file("");
    const auto events = events_in(path);
    BOOST_TEST(events[1]["name"] == "quote \" backslash \\ line \n zero-less \x01 end");
    BOOST_TEST(contains(events[1]["args"]["detail"], "no UTF-8: "));
}

BOOST_AUTO_TEST_CASE(a_killed_program_leaves_all_its_events) {
    const temporary_folder folder;
    const auto path = folder.path() / "trace.json";
    const int status = status_of_child([&] {
        trace::to_file(path.string());
        for (int i = 0; i < 100; ++i)
            trace::emit(sample("prefetch"));
        ::raise(SIGKILL);
    });
    BOOST_TEST((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
    const auto text = text_of(path);
    BOOST_TEST(!json::accept(text));
    BOOST_TEST(json::parse(text + "]").size() == 101U); // only the bracket is missing
}

BOOST_AUTO_TEST_CASE(a_program_that_ends_leaves_a_complete_array) {
    const temporary_folder folder;
    const auto path = folder.path() / "trace.json";
    const auto run = run_again("CMM_TRACE='" + path.string() + "'", "traced_program");
    BOOST_TEST(run.status == 0, run.output);
    BOOST_TEST(events_in(path).size() == 2U);
    BOOST_TEST(events_in(path)[1]["name"] == "prefetch");
}

BOOST_AUTO_TEST_CASE(a_file_of_the_environment_that_cannot_be_written_is_one_line) {
    const auto run = run_again("CMM_TRACE=/no/such/folder/trace.json", "errors");
    BOOST_TEST(run.status == 0, run.output);
    BOOST_TEST(lines_with(run.output, "CMM_TRACE") == 1U);
    BOOST_TEST(contains(run.output,
                        "cmm: CMM_TRACE: trace: path: /no/such/folder/trace.json cannot "
                        "be opened for writing: No such file or directory\n"));
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_written_is_refused) {
    const auto names_the_path = [](const invalid_argument& e) { return e.argument() == "path"; };
    BOOST_CHECK_EXCEPTION(trace::to_file("/no/such/folder/trace.json"), invalid_argument,
                          names_the_path);
    BOOST_CHECK_EXCEPTION(trace::to_file("/"), invalid_argument, names_the_path);
    BOOST_CHECK_EXCEPTION(trace::to_file("/dev/full"), invalid_argument, names_the_path);
    BOOST_TEST(!trace::on());
}

BOOST_AUTO_TEST_CASE(the_file_before_is_ended_and_an_old_one_replaced) {
    const temporary_folder folder;
    const auto first = folder.path() / "first.json", second = folder.path() / "second.json";
    std::ofstream(second) << "something long that was there before, longer than what is written now"
                          << std::string(1000, '.');
    trace::to_file(first.string());
    trace::emit(sample("prefetch"));
    trace::to_file(second.string());
    trace::emit(sample("discard"));
    trace::to_file("");
    BOOST_TEST(events_in(first).size() == 2U);
    BOOST_TEST(events_in(second)[1]["name"] == "discard");
    trace::to_file(second.string());
    trace::to_file("");
    BOOST_TEST(events_in(second).size() == 1U);
}

BOOST_AUTO_TEST_CASE(percent_p_is_the_process) {
    const temporary_folder folder;
    trace::to_file((folder.path() / "a-%p-%p.json").string());
    trace::to_file("");
    const auto pid = std::to_string(::getpid());
    BOOST_TEST(std::filesystem::exists(folder.path() / ("a-" + pid + '-' + pid + ".json")));
}

BOOST_AUTO_TEST_CASE(another_process_cannot_write_the_same_file) {
    const temporary_folder folder;
    const auto path = folder.path() / "trace.json";
    trace::to_file(path.string());
    const auto run = run_again("CMM_TRACE='" + path.string() + "'", "errors");
    BOOST_TEST(contains(run.output, "is being written by another process"));
    trace::emit(sample("prefetch"));
    trace::to_file("");
    BOOST_TEST(events_in(path).size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_forked_child_writes_on_and_does_not_end_the_file) {
    const temporary_folder folder;
    const auto path = folder.path() / "trace.json";
    trace::to_file(path.string());
    status_of_child([] {
        trace::emit(sample("discard"));
        trace::to_file("");
    });
    trace::emit(sample("prefetch"));
    trace::to_file("");
    const auto events = events_in(path);
    BOOST_TEST_REQUIRE(events.size() == 3U);
    BOOST_TEST(events[1]["name"] == "discard");
    BOOST_TEST(events[1]["pid"] != events[2]["pid"]);
}

BOOST_AUTO_TEST_CASE(threads_do_not_mix_their_events) {
    const temporary_folder folder;
    const auto path = folder.path() / "trace.json";
    trace::to_file(path.string());
    std::atomic<int> seen = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            const std::string name(static_cast<std::size_t>(1 + t * 300),
                                   static_cast<char>('a' + t));
            for (int i = 0; i < 300; ++i)
                trace::emit(sample(name));
        });
    for (int i = 0; i < 200; ++i) // while sinks come and go
        trace::set_sink(i % 2 ? nullptr : count_events, &seen);
    for (auto& t : threads)
        t.join();
    trace::to_file("");
    const auto events = events_in(path);
    BOOST_TEST_REQUIRE(events.size() == 8U * 300 + 1);
    std::set<int> writers;
    for (std::size_t i = 1; i < events.size(); ++i) {
        const std::string name = events[i]["name"];
        BOOST_TEST(name.find_first_not_of(name[0]) == std::string::npos);
        writers.insert(events[i]["tid"].get<int>());
    }
    BOOST_TEST(writers.size() == 8U);
}

BOOST_AUTO_TEST_CASE(a_sink_that_was_taken_away_is_not_called_any_more) {
    struct guarded {
        std::atomic<bool> alive = true;
        std::atomic<bool> called_dead = false;
    } g;
    std::atomic<bool> stop = false;
    std::thread other([&] {
        while (!stop)
            trace::emit(sample("prefetch"));
    });
    for (int i = 0; i < 2000; ++i) {
        g.alive = true;
        trace::set_sink(
            [](const trace::event&, void* user) noexcept {
                auto& seen = *static_cast<guarded*>(user);
                if (!seen.alive)
                    seen.called_dead = true;
            },
            &g);
        trace::set_sink(nullptr, nullptr);
        g.alive = false;
    }
    stop = true;
    other.join();
    BOOST_TEST(!g.called_dead);
}

BOOST_AUTO_TEST_CASE(nvtx_ranges_stand_around_their_scope) {
    void* fake = ::dlopen(CMM_FAKE_NVTX, RTLD_NOW | RTLD_GLOBAL); // its name is the real one's
    BOOST_TEST_REQUIRE(fake != nullptr, ::dlerror());
    const auto told = reinterpret_cast<const char* (*)()>(::dlsym(fake, "fake_nvtx_told"));
    {
        const trace::nvtx_range before("not wanted yet");
    }
    BOOST_TEST(trace::to_nvtx(true));
    BOOST_TEST(trace::on());
    {
        const trace::nvtx_range outer("prefetch");
        const trace::nvtx_range inner(std::string(100, 'x'));
        trace::to_nvtx(false); // what was begun is ended
    }
    BOOST_TEST(told() == "(prefetch(" + std::string(63, 'x') + "))");
    BOOST_TEST(!trace::on());
}

BOOST_AUTO_TEST_CASE(the_environment_asks_for_nvtx) {
    const auto folder = std::filesystem::path(CMM_FAKE_NVTX).parent_path().string();
    const auto run = run_again("CMM_NVTX=1 LD_LIBRARY_PATH='" + folder + "'", "errors");
    BOOST_TEST(run.status == 0, run.output);
    BOOST_TEST(!contains(run.output, "CMM_NVTX"));
}

BOOST_AUTO_TEST_SUITE_END()

// Closes nothing: what it leaves behind at its end is looked at from outside.
BOOST_AUTO_TEST_SUITE(traced_program)

BOOST_AUTO_TEST_CASE(it_is_on_where_the_environment_says_so) {
    BOOST_TEST(trace::on() == (std::getenv("CMM_TRACE") != nullptr));
    trace::emit(sample("prefetch"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(warnings, quiet_again)

namespace {
void collect(std::string_view key, std::string_view text, void* user) {
    static_cast<std::vector<std::string>*>(user)->push_back(std::string(key) + '=' +
                                                            std::string(text));
}
} // namespace

BOOST_AUTO_TEST_CASE(each_key_warns_once) {
    std::vector<std::string> given;
    set_warning_handler(collect, &given);
    warn_once("a", "first");
    warn_once("a", "again");
    warn_once("b", "other");
    const std::vector<std::string> wanted{"a=first", "b=other"};
    BOOST_TEST(given == wanted, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_reset_lets_each_warn_once_more) {
    std::vector<std::string> given;
    set_warning_handler(collect, &given);
    warn_once("a", "first");
    reset_warnings();
    warn_once("a", "again");
    BOOST_TEST(given.size() == 2U);
}

BOOST_AUTO_TEST_CASE(what_a_handler_throws_arrives_each_time) {
    set_warning_handler([](std::string_view, std::string_view,
                           void*) { throw std::runtime_error("an error here"); },
                        nullptr);
    BOOST_CHECK_THROW(warn_once("a", "text"), std::runtime_error);
    BOOST_CHECK_THROW(warn_once("a", "text"), std::runtime_error);
    std::vector<std::string> given;
    set_warning_handler(collect, &given);
    warn_once("a", "text");
    BOOST_TEST(given.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_handler_may_warn_itself) {
    set_warning_handler(
        [](std::string_view key, std::string_view, void*) {
            if (key == "a")
                warn_once("b", "from the handler");
        },
        nullptr);
    warn_once("a", "text");
}

BOOST_AUTO_TEST_CASE(without_a_handler_a_warning_goes_to_standard_error) {
    warn_once("key", "this text is looked for");
}

BOOST_AUTO_TEST_CASE(standard_error_has_the_text_of_a_warning) {
    const auto run = run_again("", "warnings/without_a_handler_a_warning_goes_to_standard_error");
    BOOST_TEST(lines_with(run.output, "cmm: warning: this text is looked for\n") == 1U);
}

BOOST_AUTO_TEST_CASE(threads_warn_once_between_them) {
    std::atomic<int> given = 0;
    set_warning_handler([](std::string_view, std::string_view,
                           void* user) { ++*static_cast<std::atomic<int>*>(user); },
                        &given);
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([] {
            for (int i = 0; i < 100; ++i)
                warn_once(std::to_string(i), "text");
        });
    for (auto& t : threads)
        t.join();
    BOOST_TEST(given == 100);
}

BOOST_AUTO_TEST_SUITE_END()
