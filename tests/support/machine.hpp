// SPDX-License-Identifier: Apache-2.0
// A simulated machine for one case: opened afresh, asked what reached its driver, and at the end
// whether everything went back. This header imports, so that it is included last.
#pragma once
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmm/sim.h>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

struct CUstream_st; // as cuda.h declares it

import cmm;

namespace cmm::test {

inline constexpr std::size_t kib = 1024, mib = 1024 * kib;
inline std::size_t page() { return page_size::of_system().bytes(); }

// The ceiling that the environment sets for the whole program; none: the newest.
inline int environment_level() {
    const char* text = std::getenv("CMM_API_LEVEL");
    return text && *text ? std::atoi(text) : 13000;
}

// A precondition: what the case is about came with CUDA `level`.
struct since {
    int level;
    boost::test_tools::assertion_result operator()(boost::unit_test::test_unit_id) const {
        return environment_level() >= level;
    }
};
// A precondition: what the case is about ended with CUDA `level`.
struct below {
    int level;
    boost::test_tools::assertion_result operator()(boost::unit_test::test_unit_id) const {
        return environment_level() < level;
    }
};

inline cmm_sim_live live() {
    cmm_sim_live now{};
    cmm_sim_live_counts(&now);
    return now;
}

// What a client holds of the driver, which every case has to give back. The events and streams that
// cmm keeps for reuse are no part of it.
struct belongings {
    std::uint64_t managed, device, pinned, registered, graphs, execs, objects, depth;

    static belongings now() {
        const auto l = live();
        return {l.managed_allocations, l.device_allocations, l.pinned_allocations,
                l.registered_ranges,   l.graphs,             l.graph_execs,
                l.user_objects,        l.context_stack};
    }
    friend bool operator==(const belongings&, const belongings&) = default;
    friend std::ostream& operator<<(std::ostream& out, const belongings& b) {
        return out << "managed " << b.managed << ", device " << b.device << ", pinned " << b.pinned
                   << ", registered " << b.registered << ", graphs " << b.graphs << ", execs "
                   << b.execs << ", user objects " << b.objects << ", context depth " << b.depth;
    }
};

class machine {
public:
    // `level` 0: the environment's ceiling.
    explicit machine(const std::string& config = "", int level = 0) {
        drain();
        driver::open(driver::simulated{config}, level);
        before_ = belongings::now();
        streams_ = live().streams;
    }
    ~machine() {
        cmm_sim_clear_faults();
        cmm_sim_release();
        drain();
        wait_for_the_driver();
        BOOST_TEST(belongings::now() == before_);
        // One stream per context is cmm's own, for the legacy stream's batches.
        BOOST_TEST(live().streams <= streams_ + driver::get_facts().devices.size());
        BOOST_TEST(cmm_sim_use_after_free_count() == 0U, cmm_sim_use_after_free_report());
        reset_warnings();
        set_warning_handler(nullptr, nullptr);
        set_default_hint_policy(std::nullopt);
        trace::set_sink(nullptr, nullptr);
    }
    machine(const machine&) = delete;
    machine& operator=(const machine&) = delete;

private:
    // The driver's threads drop the last graphs, and what those keep, a moment after their work.
    void wait_for_the_driver() const {
        for (int i = 0; i < 1000 && belongings::now() != before_; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            collect();
        }
    }

    belongings before_{};
    std::uint64_t streams_ = 0;
};

// Holds all work back while it lives.
struct holding {
    holding() { cmm_sim_hold(); }
    ~holding() { cmm_sim_release(); }
    holding(const holding&) = delete;
    holding& operator=(const holding&) = delete;
};

inline cmm_sim_page page_at(std::uintptr_t address) {
    cmm_sim_page found{};
    BOOST_TEST(cmm_sim_page_state(address, &found) == 0);
    return found;
}
inline cmm_sim_page page_of(const buffer& b, std::size_t offset = 0) {
    return page_at(b.handle() + offset);
}

inline std::vector<cmm_sim_call> recorded() {
    std::vector<cmm_sim_call> out;
    cmm_sim_call call{};
    for (std::size_t i = 0; cmm_sim_record_get(i, &call) == 0; ++i)
        out.push_back(call);
    return out;
}

// Calls that change memory, or put work into a stream.
inline bool changes_something(const cmm_sim_call& c) {
    static constexpr std::string_view names[] = {
        "cuMemAdvise",       "cuMemPrefetchAsync", "cuMemPrefetchBatchAsync",
        "cuMemDiscardBatchAsync", "cuMemDiscardAndPrefetchBatchAsync",
        "cuMemcpyAsync",     "cuMemcpyBatchAsync", "cuMemAllocManaged",
        "cuMemAlloc",        "cuMemHostAlloc",     "cuMemFree",
        "cuMemFreeHost",     "cuLaunchHostFunc"};
    return std::ranges::find(names, c.entry) != std::end(names);
}

// The calls since the record was cleared that change something.
inline std::vector<cmm_sim_call> sent() {
    auto all = recorded();
    std::erase_if(all, [](const auto& c) { return !changes_something(c); });
    return all;
}

inline std::string name_of(const cmm_sim_call& c) {
    return std::string(c.entry) + '@' + std::to_string(c.version);
}

// Their names, each with the version of its entry point, in order: "cuMemAdvise@12020 ...".
inline std::string sent_names() {
    std::string out;
    for (const auto& c : sent())
        out += (out.empty() ? "" : " ") + name_of(c);
    return out;
}

// How many driver calls of every kind `body` makes.
template <class Body> std::size_t driver_calls_of(Body&& body) {
    cmm_sim_record_clear();
    body();
    return cmm_sim_record_count();
}

// The ranges of the n-th changing call that was a batch.
struct batch {
    std::vector<std::uint64_t> addresses, bytes, sources;
    std::vector<int> locations;
};
inline batch batch_of(const std::string& entry, std::size_t nth = 0) {
    const auto calls = recorded();
    for (std::size_t i = 0; i < calls.size(); ++i) {
        if (entry != calls[i].entry || nth-- != 0)
            continue;
        const auto n = static_cast<std::size_t>(calls[i].count);
        batch out{std::vector<std::uint64_t>(n), std::vector<std::uint64_t>(n),
                  std::vector<std::uint64_t>(n), std::vector<int>(2 * n)};
        cmm_sim_record_ranges(i, n, out.addresses.data(), out.bytes.data(), out.sources.data(),
                              out.locations.data());
        return out;
    }
    BOOST_TEST(false, "no such batch: " << entry);
    return {};
}

// What a refusal has to say.
struct told {
    std::string_view argument;
    std::optional<std::size_t> index = std::nullopt;
    std::vector<std::string> words = {};
};

// That `body` throws Error with these facts, and that nothing that changes anything reached the
// driver; gives the error's text.
template <class Error, class Body>
std::string refuses(Body&& body, const told& expected,
                    std::source_location at = std::source_location::current()) {
    cmm_sim_record_clear();
    BOOST_TEST_CONTEXT(at.file_name() << ':' << at.line()) {
        try {
            body();
        } catch (const Error& e) {
            const std::string text = e.what();
            BOOST_TEST(e.argument() == expected.argument, text);
            BOOST_TEST((e.index() == expected.index), text);
            for (const auto& word : expected.words)
                BOOST_TEST(text.find(word) != text.npos, "'" << word << "' is not in: " << text);
            BOOST_TEST(sent_names() == "");
            return text;
        } catch (const std::exception& e) {
            BOOST_TEST(false, "another error: " << e.what());
            return {};
        }
        BOOST_TEST(false, "nothing was refused");
    }
    return {};
}

// Calls an entry point by name, past cmm; the arguments are of the exact types of the driver's ABI.
template <class... Arguments> int raw(const char* name, int version, Arguments... arguments) {
    void* entry = driver::symbol(name, version);
    BOOST_REQUIRE_MESSAGE(entry, name << '@' << version << " is not there");
    return reinterpret_cast<int (*)(Arguments...)>(entry)(arguments...);
}

// A stream that another library made.
class foreign_stream {
public:
    explicit foreign_stream(unsigned flags = 1) {
        BOOST_REQUIRE(raw("cuStreamCreate", 2000, &handle_, flags) == 0);
    }
    ~foreign_stream() {
        if (handle_)
            raw("cuStreamDestroy", 4000, handle_);
    }
    foreign_stream(const foreign_stream&) = delete;
    foreign_stream& operator=(const foreign_stream&) = delete;
    void destroy() { raw("cuStreamDestroy", 4000, std::exchange(handle_, nullptr)); }
    driver::stream_handle handle() const { return handle_; }
    stream_ref ref() const {
        return stream_ref::from_handle(reinterpret_cast<std::uintptr_t>(handle_));
    }

private:
    driver::stream_handle handle_ = nullptr;
};

enum class capture_mode : int { global = 0, thread_local_mode = 1, relaxed = 2 };

// A capture that is under way on a stream.
class capture {
public:
    explicit capture(driver::stream_handle s, capture_mode mode = capture_mode::global) : s_(s) {
        BOOST_REQUIRE(raw("cuStreamBeginCapture", 10010, s, static_cast<int>(mode)) == 0);
    }
    ~capture() {
        if (!ended_)
            destroy(end());
    }
    capture(const capture&) = delete;
    capture& operator=(const capture&) = delete;

    // 0 none, 1 active, 2 invalidated.
    int status() const {
        int out = -1;
        BOOST_TEST(raw("cuStreamIsCapturing", 10000, s_, &out) == 0);
        return out;
    }
    void* end() {
        void* graph = nullptr;
        ended_ = true;
        BOOST_TEST(raw("cuStreamEndCapture", 10000, s_, &graph) == 0);
        return graph;
    }
    static void destroy(void* graph) {
        if (graph)
            raw("cuGraphDestroy", 10000, graph);
    }

private:
    driver::stream_handle s_;
    bool ended_ = false;
};

inline std::size_t nodes_of(void* graph) {
    std::size_t count = 0;
    BOOST_TEST(raw("cuGraphGetNodes", 10000, graph, static_cast<void**>(nullptr), &count) == 0);
    return count;
}

inline void* instantiated(void* graph) {
    void* exec = nullptr;
    BOOST_TEST(raw("cuGraphInstantiateWithFlags", 11040, &exec, graph, 0ULL) == 0);
    return exec;
}

inline driver::context_handle current_context() {
    driver::context_handle now = nullptr;
    driver::current_context(now);
    return now;
}

// The thread's capture mode, which is left as it is.
inline int thread_capture_mode() {
    int mode = 0;
    raw("cuThreadExchangeStreamCaptureMode", 10010, &mode);
    int now = mode;
    raw("cuThreadExchangeStreamCaptureMode", 10010, &mode);
    return now;
}

inline void fill(const buffer& b, unsigned char value) {
    const auto bytes = b.as_span<unsigned char>();
    std::fill(bytes.begin(), bytes.end(), value);
}
inline bool all_bytes(const buffer& b, unsigned char value) {
    const auto bytes = b.as_span<unsigned char>();
    return std::all_of(bytes.begin(), bytes.end(), [&](unsigned char c) { return c == value; });
}

} // namespace cmm::test
