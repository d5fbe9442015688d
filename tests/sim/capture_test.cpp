// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <cstring>
#include <thread>

using namespace machine_test;

namespace {

constexpr unsigned nonblocking = 1;
enum : int { global = 0, thread_local_mode = 1, relaxed = 2 };
enum : int { none = 0, active = 1, invalidated = 2 };

int begin(const machine& on, opaque stream, int mode = global) {
    return on("cuStreamBeginCapture", 10010, stream, mode);
}

int end(const machine& on, opaque stream, opaque& graph) {
    return on("cuStreamEndCapture", 10000, stream, &graph);
}

int status(const machine& on, opaque stream) {
    int value = -1;
    BOOST_TEST(on("cuStreamIsCapturing", 10000, stream, &value) == success);
    return value;
}

std::size_t nodes(const machine& on, opaque graph) {
    std::size_t count = 0;
    BOOST_TEST(on("cuGraphGetNodes", 10000, graph, static_cast<opaque*>(nullptr), &count) ==
               success);
    return count;
}

opaque instantiated(const machine& on, opaque graph) {
    opaque exec = nullptr;
    BOOST_TEST(on("cuGraphInstantiateWithFlags", 11040, &exec, graph, std::uint64_t{0}) == success);
    return exec;
}

} // namespace

BOOST_AUTO_TEST_SUITE(captures)

BOOST_AUTO_TEST_CASE(captured_work_runs_when_its_graph_is_launched) {
    const machine on;
    const pointer from = on.managed(page), to = on.managed(page);
    const opaque stream = on.stream(nonblocking);
    std::memset(bytes_at(from), 4, page);
    std::memset(bytes_at(to), 0, page);
    opaque graph = nullptr;
    BOOST_TEST(begin(on, stream) == success);
    BOOST_TEST(on.copy(to, from, page, stream) == success);
    BOOST_TEST(end(on, stream, graph) == success);
    BOOST_TEST(on.sync(stream) == success);
    BOOST_TEST(bytes_at(to)[0] == 0);
    const opaque exec = instantiated(on, graph);
    for (const int value : {5, 6}) {
        std::memset(bytes_at(from), value, page);
        BOOST_TEST(on("cuGraphLaunch", 10000, exec, stream) == success);
        BOOST_TEST(on.sync(stream) == success);
        BOOST_TEST(bytes_at(to)[page - 1] == value);
    }
    BOOST_TEST(on("cuGraphExecDestroy", 10000, exec) == success);
    BOOST_TEST(on("cuGraphDestroy", 10000, graph) == success);
    BOOST_TEST(live().graphs + live().graph_execs == 0u);
}

BOOST_AUTO_TEST_CASE(a_graph_whose_memory_was_freed_is_reported) {
    const machine on;
    const pointer from = on.managed(page), to = on.managed(page);
    const opaque stream = on.stream(nonblocking);
    opaque graph = nullptr;
    begin(on, stream);
    on.copy(to, from, page, stream);
    end(on, stream, graph);
    const opaque exec = instantiated(on, graph);
    BOOST_TEST(on.free(from) == success);
    BOOST_TEST(cmm_sim_use_after_free_count() == 0u);
    BOOST_TEST(on("cuGraphLaunch", 10000, exec, stream) == success);
    BOOST_TEST(on.sync(stream) == success);
    BOOST_TEST(cmm_sim_use_after_free_count() == 1u);
}

BOOST_AUTO_TEST_CASE(another_stream_joins_by_an_event_and_has_to_come_back) {
    const machine on;
    const pointer from = on.managed(page), to = on.managed(page);
    const opaque origin = on.stream(nonblocking), other = on.stream(nonblocking);
    const opaque fork = on.event(), join = on.event();
    opaque graph = nullptr;
    BOOST_TEST(begin(on, origin) == success);
    BOOST_TEST(on.record(fork, origin) == success);
    BOOST_TEST(on.wait(other, fork) == success);
    BOOST_TEST(status(on, other) == active);
    BOOST_TEST(on.copy(to, from, page, other) == success);
    BOOST_TEST(on.record(join, other) == success);
    BOOST_TEST(on.wait(origin, join) == success);
    BOOST_TEST(end(on, other, graph) == capture_unmatched);
    BOOST_TEST(end(on, origin, graph) == success);
    BOOST_TEST(nodes(on, graph) == 1u);
    BOOST_TEST(status(on, other) == none);
}

BOOST_AUTO_TEST_CASE(work_that_does_not_come_back_is_unjoined) {
    const machine on;
    const pointer memory = on.managed(page);
    const opaque origin = on.stream(nonblocking), other = on.stream(nonblocking), fork = on.event();
    opaque graph = nullptr;
    begin(on, origin);
    on.record(fork, origin);
    on.wait(other, fork);
    BOOST_TEST(on.fill(memory, 1, page, other) == success);
    BOOST_TEST(end(on, origin, graph) == capture_unjoined);
    BOOST_TEST(status(on, other) == none);
    BOOST_TEST(live().graphs == 0u);
}

BOOST_AUTO_TEST_CASE(a_captured_event_cannot_be_asked) {
    const machine on;
    const opaque stream = on.stream(nonblocking), mark = on.event();
    opaque graph = nullptr;
    begin(on, stream);
    on.record(mark, stream);
    BOOST_TEST(on("cuEventQuery", 2000, mark) == captured_event);
    BOOST_TEST(end(on, stream, graph) == capture_invalidated);
}

BOOST_AUTO_TEST_CASE(a_capture_does_not_wait_for_work_outside) {
    const machine on;
    const opaque stream = on.stream(nonblocking), outside = on.stream(nonblocking),
                 mark = on.event();
    opaque graph = nullptr;
    on.record(mark, outside);
    begin(on, stream);
    BOOST_TEST(on.wait(stream, mark) == capture_isolation);
    BOOST_TEST(status(on, stream) == invalidated);
    BOOST_TEST(end(on, stream, graph) == capture_invalidated);
}

BOOST_AUTO_TEST_CASE(work_on_the_legacy_stream_breaks_the_capture_of_a_blocking_one) {
    const machine on;
    const pointer memory = on.managed(page);
    const opaque stream = on.stream();
    opaque graph = nullptr;
    begin(on, stream);
    BOOST_TEST(on.fill(memory, 1, page, driver::legacy) == capture_implicit);
    BOOST_TEST(end(on, stream, graph) == capture_invalidated);
    BOOST_TEST(begin(on, driver::legacy) == capture_unsupported);
}

BOOST_AUTO_TEST_CASE(waiting_for_a_capturing_stream_breaks_its_capture) {
    const machine on;
    const opaque stream = on.stream(nonblocking);
    opaque graph = nullptr;
    begin(on, stream);
    BOOST_TEST(on.sync(stream) == capture_unsupported);
    BOOST_TEST(end(on, stream, graph) == capture_invalidated);
}

BOOST_AUTO_TEST_CASE(a_thread_local_capture_does_not_concern_other_threads) {
    const machine on;
    const opaque stream = on.stream(nonblocking), context = on.primary();
    opaque graph = nullptr;
    int answered = -1;
    pointer memory = 0;
    const auto allocate_elsewhere = [&] {
        std::thread([&] {
            on("cuCtxSetCurrent", 4000, context);
            answered = on("cuMemAllocManaged", 6000, &memory, page, 1U);
        }).join();
        return answered;
    };
    begin(on, stream, thread_local_mode);
    BOOST_TEST(allocate_elsewhere() == success);
    BOOST_TEST(status(on, stream) == active);
    BOOST_TEST(on("cuMemAllocManaged", 6000, &memory, page, 1U) == capture_unsupported);
    BOOST_TEST(end(on, stream, graph) == capture_invalidated);
    begin(on, stream, global);
    BOOST_TEST(allocate_elsewhere() == capture_unsupported);
    BOOST_TEST(end(on, stream, graph) == capture_invalidated);
    begin(on, stream, relaxed);
    BOOST_TEST(on("cuMemAllocManaged", 6000, &memory, page, 1U) == success);
    BOOST_TEST(end(on, stream, graph) == success);
}

BOOST_AUTO_TEST_CASE(a_capture_ends_on_the_thread_that_began_it_unless_relaxed) {
    const machine on;
    const opaque stream = on.stream(nonblocking), context = on.primary();
    opaque graph = nullptr;
    int answered = -1;
    const auto end_elsewhere = [&] {
        std::thread([&] {
            on("cuCtxSetCurrent", 4000, context);
            answered = end(on, stream, graph);
        }).join();
        return answered;
    };
    begin(on, stream, thread_local_mode);
    BOOST_TEST(end_elsewhere() == capture_wrong_thread);
    BOOST_TEST(end(on, stream, graph) == success);
    begin(on, stream, relaxed);
    BOOST_TEST(end_elsewhere() == success);
}

BOOST_AUTO_TEST_CASE(the_mode_of_a_thread_is_exchanged) {
    const machine on;
    int mode = relaxed;
    BOOST_TEST(on("cuThreadExchangeStreamCaptureMode", 10010, &mode) == success);
    BOOST_TEST(mode == global);
    BOOST_TEST(on("cuThreadExchangeStreamCaptureMode", 10010, &mode) == success);
    BOOST_TEST(mode == relaxed);
    mode = 3;
    BOOST_TEST(on("cuThreadExchangeStreamCaptureMode", 10010, &mode) == invalid_value);
}

BOOST_AUTO_TEST_CASE(the_graph_of_a_capture_keeps_user_objects_until_nobody_needs_them) {
    const machine on;
    int destroyed = 0;
    const auto destroy = +[](void* count) { ++*static_cast<int*>(count); };
    const opaque stream = on.stream(nonblocking);
    opaque object = nullptr, graph = nullptr, captured = nullptr;
    int state = 0;
    std::uint64_t id = 0;
    const opaque* tail = nullptr;
    std::size_t count = 99;
    begin(on, stream);
    BOOST_TEST(on("cuUserObjectCreate", 11030, &object, static_cast<void*>(&destroyed), destroy, 1U,
                  1U) == success);
    BOOST_TEST(on("cuStreamGetCaptureInfo", 11030, stream, &state, &id, &captured, &tail, &count) ==
               success);
    BOOST_TEST(state == active);
    BOOST_TEST(count == 0u);
    BOOST_TEST(on("cuGraphRetainUserObject", 11030, captured, object, 1U, 1U) == success);
    BOOST_TEST(live().user_objects == 0u);
    BOOST_TEST(end(on, stream, graph) == success);
    BOOST_TEST(graph == captured);
    const opaque exec = instantiated(on, graph);
    BOOST_TEST(on("cuGraphDestroy", 10000, graph) == success);
    BOOST_TEST(destroyed == 0);
    BOOST_TEST(on("cuGraphExecDestroy", 10000, exec) == success);
    BOOST_TEST(destroyed == 1);
}

BOOST_AUTO_TEST_CASE(a_broken_capture_lets_its_user_objects_go) {
    const machine on;
    int destroyed = 0;
    const auto destroy = +[](void* count) { ++*static_cast<int*>(count); };
    const opaque stream = on.stream(nonblocking);
    opaque object = nullptr, graph = nullptr, captured = nullptr;
    int state = 0;
    begin(on, stream);
    on("cuStreamGetCaptureInfo", 12030, stream, &state, static_cast<std::uint64_t*>(nullptr),
       &captured, static_cast<opaque*>(nullptr), static_cast<opaque*>(nullptr),
       static_cast<std::size_t*>(nullptr));
    on("cuUserObjectCreate", 11030, &object, static_cast<void*>(&destroyed), destroy, 1U, 1U);
    BOOST_TEST(on("cuGraphRetainUserObject", 11030, captured, object, 1U, 1U) == success);
    BOOST_TEST(on.sync(stream) == capture_unsupported);
    BOOST_TEST(end(on, stream, graph) == capture_invalidated);
    BOOST_TEST(destroyed == 1);
}

BOOST_AUTO_TEST_SUITE_END()
