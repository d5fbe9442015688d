// SPDX-License-Identifier: Apache-2.0
// Lowering of contexts, streams, events and captures.
module;
#include "driver_abi.h"
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>
module cmm.driver;
import :table;
import :state;

namespace cmm::driver {

namespace {

// Calls `f` with the table, or answers that there is none.
template <class F> result with_table(F f) noexcept {
    const state* s = live_quietly();
    return s ? static_cast<result>(f(s->calls)) : result::not_initialized;
}

} // namespace

result primary_context(int ordinal, context_handle& out) noexcept {
    return with_table([&](const table& t) {
        abi::device_id id = 0;
        const auto r = t.device_get(&id, ordinal);
        return r ? r : t.primary_retain(&out, id);
    });
}

result release_primary_context(int ordinal) noexcept {
    return with_table([&](const table& t) { return t.primary_release(ordinal); });
}

result current_context(context_handle& out) noexcept {
    return with_table([&](const table& t) { return t.current_context(&out); });
}

result push_context(context_handle c) noexcept {
    return with_table([&](const table& t) { return t.push_context(c); });
}

result pop_context() noexcept {
    context_handle popped = nullptr;
    return with_table([&](const table& t) { return t.pop_context(&popped); });
}

result context_device(int& out) noexcept {
    return with_table([&](const table& t) { return t.context_device(&out); });
}

result synchronize_context() noexcept {
    return with_table([](const table& t) { return t.context_synchronize(); });
}

result relaxed_capture(int& before) noexcept {
    before = abi::capture_mode_relaxed;
    return with_table([&](const table& t) { return t.exchange_capture_mode(&before); });
}

result restore_capture(int before) noexcept {
    return with_table([&](const table& t) { return t.exchange_capture_mode(&before); });
}

result priority_range(int& least, int& greatest) noexcept {
    return with_table([&](const table& t) { return t.priority_range(&least, &greatest); });
}

result create_stream(bool blocking, int priority, stream_handle& out) noexcept {
    return with_table([&](const table& t) {
        return t.stream_create(&out, blocking ? 0 : abi::stream_non_blocking, priority);
    });
}

result destroy_stream(stream_handle s) noexcept {
    return with_table([&](const table& t) { return t.stream_destroy(s); });
}

result synchronize_stream(stream_handle s) noexcept {
    return with_table([&](const table& t) { return t.stream_synchronize(s); });
}

result query_stream(stream_handle s) noexcept {
    return with_table([&](const table& t) { return t.stream_query(s); });
}

result stream_priority(stream_handle s, int& out) noexcept {
    return with_table([&](const table& t) { return t.stream_priority(s, &out); });
}

result stream_context(stream_handle s, context_handle& out) noexcept {
    return with_table([&](const table& t) { return t.stream_context(s, &out); });
}

result stream_waits(stream_handle s, event_handle e) noexcept {
    return with_table([&](const table& t) { return t.stream_wait(s, e, 0); });
}

result is_capturing(stream_handle s, bool& out) noexcept {
    int status = abi::capture_status_none;
    const auto r = with_table([&](const table& t) { return t.stream_is_capturing(s, &status); });
    out = status != abi::capture_status_none;
    return r;
}

result create_event(bool timing, event_handle& out) noexcept {
    return with_table(
        [&](const table& t) { return t.event_create(&out, timing ? 0 : abi::event_disable_timing); });
}

result destroy_event(event_handle e) noexcept {
    return with_table([&](const table& t) { return t.event_destroy(e); });
}

result record_event(event_handle e, stream_handle s) noexcept {
    return with_table([&](const table& t) { return t.event_record(e, s); });
}

result query_event(event_handle e) noexcept {
    return with_table([&](const table& t) { return t.event_query(e); });
}

result synchronize_event(event_handle e) noexcept {
    return with_table([&](const table& t) { return t.event_synchronize(e); });
}

result event_milliseconds(event_handle from, event_handle to, float& out) noexcept {
    return with_table([&](const table& t) { return t.event_elapsed(&out, from, to); });
}

result host_function(stream_handle s, void (*f)(void*), void* user) noexcept {
    return with_table([&](const table& t) { return t.host_function(s, f, user); });
}

namespace {

// Moves the object that owns `user` into the graph that `s` is capturing into. `owned` says whether the
// driver has taken over calling destroy.
abi::error_code keep_in_graph(const table& t, stream_handle s, void* user, void (*destroy)(void*),
                              bool& owned) noexcept {
    int status = 0;
    std::uint64_t id = 0;
    abi::graph graph = nullptr;
    const abi::graph_node* dependencies = nullptr;
    std::size_t count = 0;
    if (const auto e = t.capture_info(s, &status, &id, &graph, &dependencies, &count))
        return e;
    abi::user_object object = nullptr;
    if (const auto e = t.user_object_create(&object, user, destroy, 1, abi::user_object_no_destructor_sync))
        return e;
    owned = true;
    const auto e = t.graph_retain(graph, object, 1, abi::graph_user_object_move);
    if (e)
        t.user_object_release(object, 1);
    return e;
}

} // namespace

result capture_keeps(stream_handle s, void* user, void (*destroy)(void*)) noexcept {
    bool owned = false;
    const auto r = with_table([&](const table& t) { return keep_in_graph(t, s, user, destroy, owned); });
    if (!owned)
        destroy(user);
    return r;
}

} // namespace cmm::driver
