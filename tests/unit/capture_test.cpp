// SPDX-License-Identifier: Apache-2.0
// Capture of streams into graphs: refusals leave it alive, copies become nodes.
#include <atomic>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "support/machine.hpp"

using namespace cmm;
using namespace cmm::test;
namespace data = boost::unit_test::data;
using boost::unit_test::precondition;

namespace {

struct world {
    machine here;
    managed_memory_resource mr;
    stream s, other;
    managed_buffer a = mr.allocate(64 * kib), b = mr.allocate(64 * kib), c = mr.allocate(64 * kib),
                   d = mr.allocate(64 * kib);
    world() { set_current(device{0}); }
    ~world() { driver::pop_context(); }
};

constexpr capture_mode modes[] = {capture_mode::global, capture_mode::thread_local_mode,
                                  capture_mode::relaxed};

} // namespace

namespace cmm::test {
std::ostream& operator<<(std::ostream& out, capture_mode m) { return out << static_cast<int>(m); }
} // namespace cmm::test

BOOST_FIXTURE_TEST_SUITE(capturing_streams, world)

BOOST_DATA_TEST_CASE(what_cannot_be_captured_is_refused_and_the_capture_lives,
                     data::make(modes), mode) {
    capture going(s.handle(), mode);
    const told what{"stream", {}, {"capturing", "cannot be captured", "goes on unharmed"}};
    refuses<not_supported>([&] { prefetch(a, device{0}, s); }, what);
    refuses<not_supported>([&] { prefetch({a, b, c}, device{0}, s); }, what);
    if (environment_level() >= 13000) {
        refuses<not_supported>([&] { discard(a, s); }, what);
        refuses<not_supported>([&] { discard_prefetch(a, host{}, s); }, what);
    }
    refuses<not_supported>([&] { a.close(s); }, {"stream"});
    BOOST_TEST(!a.is_closed());
    BOOST_TEST(going.status() == 1);
}

BOOST_AUTO_TEST_CASE(a_stream_tells_that_it_captures) {
    const capture going(s.handle());
    BOOST_TEST(s.capturing());
    BOOST_TEST(!other.capturing());
}

BOOST_DATA_TEST_CASE(copies_become_nodes, data::make(modes), mode) {
    fill(a, 1);
    fill(b, 2);
    capture going(s.handle(), mode);
    const auto r = copy_batch(s, {a, b}, {c, d});
    BOOST_TEST(r.reason == "the stream is capturing");
    BOOST_TEST(r.calls == 2U);
    BOOST_TEST(going.status() == 1);
    BOOST_TEST(!all_bytes(c, 1));
    void* const graph = going.end();
    BOOST_TEST(nodes_of(graph) == 2U);
    void* const exec = instantiated(graph);
    for (int i = 0; i < 2; ++i)
        BOOST_TEST(raw("cuGraphLaunch", 10000, exec, s.handle()) == 0);
    s.sync();
    BOOST_TEST(all_bytes(c, 1));
    BOOST_TEST(all_bytes(d, 2));
    raw("cuGraphExecDestroy", 10000, exec);
    capture::destroy(graph);
}

BOOST_AUTO_TEST_CASE(neighbours_become_one_node) {
    capture going(s.handle());
    copy_batch(s, {a.slice(0, 4096), a.slice(4096, 4096)}, {b.slice(0, 4096), b.slice(4096, 4096)});
    void* const graph = going.end();
    BOOST_TEST(nodes_of(graph) == 1U);
    capture::destroy(graph);
}

BOOST_AUTO_TEST_CASE(a_graph_keeps_its_operands_when_their_buffers_are_closed) {
    fill(a, 5);
    void* graph = nullptr;
    {
        capture going(s.handle());
        copy_batch(s, {a, b}, {c, d});
        graph = going.end();
    }
    void* const exec = instantiated(graph);
    capture::destroy(graph);
    const auto view = c.as_span<unsigned char>();
    for (auto* each : {&a, &b, &c, &d})
        each->close();
    BOOST_TEST(live().managed_allocations == 4U);
    BOOST_TEST(raw("cuGraphLaunch", 10000, exec, s.handle()) == 0);
    s.sync();
    BOOST_TEST(int{view[100]} == 5);
    BOOST_TEST(raw("cuGraphExecDestroy", 10000, exec) == 0);
    // The stream's thread may be the last that lets go of the graph, a moment after its work.
    for (int i = 0; i < 1000 && live().managed_allocations != 1; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        collect();
    }
    BOOST_TEST(live().managed_allocations == 1U); // the one under the view
}

BOOST_AUTO_TEST_CASE(an_abandoned_capture_lets_go_of_its_operands) {
    {
        capture going(s.handle());
        copy_batch(s, {a}, {b});
        a.close();
        b.close();
        capture::destroy(going.end());
    }
    collect();
    BOOST_TEST(live().managed_allocations == 2U);
}

BOOST_AUTO_TEST_CASE(during_api_call_cannot_be_kept_and_is_refused) {
    capture going(s.handle());
    const copy_options during{.src_access_order = src_access_order::during_api_call};
    refuses<not_supported>([&] { copy_batch(s, {a}, {b}, during); },
                           {"options", {}, {"during_api_call", "capturing"}});
    refuses<not_supported>([&] { copy_batch(s, {a, b}, {c, d}, {copy_options{}, during}); },
                           {"options"});
    BOOST_TEST(going.status() == 1);
}

BOOST_AUTO_TEST_CASE(refused_arguments_leave_the_capture_alive) {
    capture going(s.handle());
    BOOST_CHECK_THROW(copy_batch(s, {a, b}, {b, c}), invalid_argument);
    BOOST_CHECK_THROW(copy_batch(s, {a}, {b.slice(0, 10)}), invalid_argument);
    BOOST_CHECK_THROW(prefetch({a, b}, {device{0}, host{}, host{}}, s), invalid_argument);
    BOOST_TEST(going.status() == 1);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(beside_a_capture, world)

BOOST_AUTO_TEST_CASE(other_streams_work_on) {
    capture going(s.handle());
    prefetch({a, b}, device{0}, other);
    copy_batch(other, {a, b}, {c, d});
    if (environment_level() >= 13000)
        discard(a, other);
    BOOST_TEST(going.status() == 1);
}

namespace {

// Calls that have no stream, and would end every global capture of the thread.
std::vector<std::pair<std::string, std::function<void(world&)>>> without_a_stream() {
    return {
        {"advise", [](world& w) { advise(w.a, advice::set_read_mostly); }},
        {"advise a device nobody used", [](world& w) { w.b.accessed_by() = {device{0}}; }},
        {"query", [](world& w) { (void)w.a.preferred_location(); }},
        {"allocate", [](world& w) { w.mr.allocate(4096); }},
        {"allocate pinned", [](world&) { pinned_memory_resource().allocate(4096); }},
        {"allocate device memory", [](world&) { device_memory_resource().allocate(4096); }},
        {"arena", [](world&) {
             const auto arena = managed_memory_resource::arena({.slab_bytes = 2 * mib});
             arena.allocate(4096).read_mostly(true);
             arena.allocate(4096);
             arena.trim();
         }},
        {"close", [](world& w) { w.c.close(); }},
        {"collect", [](world&) { collect(); }},
        {"borrow", [](world& w) { managed_buffer::from_handle(w.a.data(), 4096).read_mostly(); }},
        {"plan", [](world& w) { advise_plan(w.a, advice::set_read_mostly).run(); }},
        {"make a stream", [](world&) { stream(); }},
        {"staged copy", [](world& w) {
             const std::vector<char> temporary(100);
             copy_to(range(temporary.data(), 100), range(w.d.handle(), 100), w.other,
                     {.src_access_order = src_access_order::during_api_call});
         }},
        {"waiting copy", [](world& w) {
             const std::vector<char> temporary(128 * kib);
             const auto to = w.mr.allocate(128 * kib);
             copy_to(range(temporary.data(), temporary.size()), to, w.other,
                     {.src_access_order = src_access_order::during_api_call});
         }},
    };
}

} // namespace

BOOST_AUTO_TEST_CASE(calls_without_a_stream_leave_a_global_capture_alive) {
    for (const auto& [name, call] : without_a_stream()) {
        capture going(s.handle(), capture_mode::global);
        BOOST_TEST_CONTEXT(name) {
            BOOST_CHECK_NO_THROW(call(*this));
            BOOST_TEST(going.status() == 1);
            BOOST_TEST(thread_capture_mode() == 0);
        }
    }
    other.sync(); // it was given a plain range, which nothing keeps
}

BOOST_AUTO_TEST_CASE(so_they_do_while_another_thread_captures) {
    std::atomic<bool> begun{false}, done{false};
    std::thread capturing([&] {
        set_current(device{0});
        capture going(s.handle(), capture_mode::global);
        begun = true;
        while (!done)
            std::this_thread::yield();
        BOOST_TEST(going.status() == 1);
        capture::destroy(going.end());
        driver::pop_context();
    });
    while (!begun)
        std::this_thread::yield();
    for (const auto& [name, call] : without_a_stream())
        BOOST_TEST_CONTEXT(name) { BOOST_CHECK_NO_THROW(call(*this)); }
    done = true;
    capturing.join();
    other.sync();
}

BOOST_AUTO_TEST_CASE(the_mode_is_put_back_after_errors_too) {
    int mode = 1;
    raw("cuThreadExchangeStreamCaptureMode", 10010, &mode);
    for (const char* entry : {"cuMemAdvise", "cuMemAllocManaged", "cuMemRangeGetAttribute"}) {
        cmm_sim_fault(entry, 1, 1);
        BOOST_CHECK_THROW(a.read_mostly(true); mr.allocate(4096); a.accessed_by() = {host{}}, error);
        BOOST_TEST(thread_capture_mode() == 1);
        cmm_sim_clear_faults();
    }
    a.accessed_by() = {};
    raw("cuThreadExchangeStreamCaptureMode", 10010, &mode);
}

BOOST_AUTO_TEST_CASE(what_was_closed_is_not_freed_early_because_of_a_capture) {
    // The driver refuses to tell of events in a global capture, which says nothing about the work.
    const holding back;
    copy_to(a, b, other);
    a.close();
    b.close();
    BOOST_TEST(live().managed_allocations == 4U);
    {
        capture going(s.handle(), capture_mode::global);
        collect();
        mr.allocate(4096).close();
        BOOST_TEST(live().managed_allocations == 4U);
        BOOST_TEST(going.status() == 1);
    }
    cmm_sim_release();
    other.sync();
    collect();
    BOOST_TEST(live().managed_allocations == 2U);
}

BOOST_AUTO_TEST_CASE(a_buffer_used_on_a_stream_that_captures_now_is_freed_later) {
    {
        const holding back;
        copy_to(a, b, s);
        capture going(s.handle());
        a.close();
        b.close();
        BOOST_TEST(going.status() == 1);
        BOOST_TEST(live().managed_allocations == 4U);
    }
    s.sync();
    collect();
    BOOST_TEST(live().managed_allocations == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(legacy_stream_beside_a_capture, world)

BOOST_AUTO_TEST_CASE(a_blocking_stream_that_captures_forbids_it) {
    const stream blocking({.blocking = true});
    capture going(blocking.handle());
    const told what{"stream", {}, {"blocking stream", "would break that capture"}};
    refuses<not_supported>([&] { prefetch(a, device{0}, stream_ref::legacy()); }, what);
    refuses<not_supported>([&] { copy_batch(stream_ref::legacy(), {a}, {b}); }, what);
    refuses<not_supported>([&] { copy_batch(stream_ref::legacy(), {a, b}, {c, d}); }, what);
    a.close(stream_ref::legacy()); // nothing of the driver's: the end of that work is found later
    BOOST_TEST(going.status() == 1);
}

BOOST_AUTO_TEST_CASE(one_that_does_not_block_lets_it_be) {
    capture going(s.handle());
    prefetch(a, device{0}, stream_ref::legacy());
    copy_batch(stream_ref::legacy(), {a, b}, {c, d});
    BOOST_TEST(going.status() == 1);
    capture::destroy(going.end());
    synchronize(stream_ref::legacy());
}

BOOST_AUTO_TEST_CASE(buffers_used_on_it_wait_until_the_capture_is_over) {
    {
        const holding back;
        copy_to(a, b, stream_ref::legacy());
        const stream blocking({.blocking = true});
        capture going(blocking.handle());
        a.close();
        b.close();
        BOOST_TEST(live().managed_allocations == 4U);
        BOOST_TEST(going.status() == 1);
    }
    synchronize(stream_ref::legacy());
    collect();
    BOOST_TEST(live().managed_allocations == 2U);
}

BOOST_AUTO_TEST_SUITE_END()
