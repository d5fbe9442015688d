// SPDX-License-Identifier: Apache-2.0
// Driver, devices, streams and events, over handles.
module;
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
struct CUstream_st;
module cmm.boundary;
import :objects;
import cmm.context;
import cmm.driver;

namespace cmm::boundary {

namespace {

held<stream> open_stream(handle s, const char* operation) { return {s, object_kind::stream, {operation, "stream"}}; }
held<event> open_event(handle e, const char* operation) { return {e, object_kind::event, {operation, "event"}}; }

} // namespace

void open_driver(std::string_view library, std::int32_t level) {
    driver::open(driver::options{std::string(library), level});
}
void open_simulated(std::string_view config, std::int32_t level) {
    driver::open(driver::simulated{std::string(config)}, level);
}

std::string driver_library() { return driver::get_facts().library; }
std::int32_t driver_version() { return driver::get_facts().version; }
std::int32_t api_level() { return driver::get_facts().level; }
bool driver_is_simulated() { return driver::get_facts().simulated; }
std::int32_t devices() { return device_count(); }
std::int32_t numa_nodes() { return driver::get_facts().numa_nodes; }

std::string device_name(std::int32_t ordinal) {
    const device d{ordinal};
    detail::require_device({"device_name", "device"}, d.ordinal());
    return driver::get_facts().devices[static_cast<std::size_t>(d.ordinal())].name;
}

std::string unsupported_reason(std::int32_t ordinal, std::int32_t which) {
    if (which < 1 || which > 9)
        throw invalid_argument({"supports", "operation"},
                               fmt::format("{} is no operation; allowed are 1 (advise) to 9 (pageable_memory)", which));
    std::string why;
    supports(device{ordinal}, static_cast<operation>(which), &why);
    return why;
}

memory_information device_memory(std::int32_t ordinal) { return memory_info(device{ordinal}); }
void make_current(std::int32_t ordinal) { set_current(device{ordinal}); }

void set_hint_policy(std::int32_t policy) {
    if (policy < 0 || policy > 3)
        throw invalid_argument({"set_hint_policy", "policy"},
                               fmt::format("{} is no hint_policy; allowed are 0 (default) to 3 (ignore)", policy));
    set_default_hint_policy(policy ? std::optional(static_cast<hint_policy>(policy)) : std::nullopt);
}

std::int32_t get_hint_policy() noexcept {
    const auto p = default_hint_policy();
    return p ? static_cast<std::int32_t>(*p) : 0;
}

handle stream_create(std::int32_t ordinal, std::int32_t priority, bool blocking) {
    stream_options o{.priority = priority, .blocking = blocking};
    if (ordinal != -1)
        o.device = device{ordinal};
    return insert(object_kind::stream, stream(o));
}

std::uint64_t stream_raw(handle s) {
    return reinterpret_cast<std::uint64_t>(open_stream(s, "handle")->handle());
}
std::int32_t stream_device(handle s) { return open_stream(s, "device")->device().ordinal(); }
std::int32_t stream_priority(handle s) { return open_stream(s, "priority")->priority(); }
bool stream_done(handle s) { return open_stream(s, "done")->done(); }
bool stream_capturing(handle s) { return open_stream(s, "capturing")->capturing(); }

void stream_sync(stream_code s) {
    const held_stream stream(s, "sync");
    synchronize(stream.ref());
}

void stream_wait_event(handle s, handle e) {
    const auto waiting = open_stream(s, "wait");
    waiting->wait(*open_event(e, "wait"));
}

void stream_wait_stream(handle s, stream_code other) {
    const auto waiting = open_stream(s, "wait");
    const held_stream first(other, "wait");
    waiting->wait(first.ref());
}

handle event_record(stream_code s, bool timing) {
    const held_stream stream(s, "record");
    return insert(object_kind::event, event(stream.ref(), timing));
}

std::uint64_t event_raw(handle e) { return reinterpret_cast<std::uint64_t>(open_event(e, "handle")->handle()); }
void event_sync(handle e) { open_event(e, "sync")->sync(); }
bool event_done(handle e) { return open_event(e, "done")->done(); }

double event_nanoseconds_since(handle e, handle earlier) {
    const auto later = open_event(e, "nanoseconds_since");
    return later->nanoseconds_since(*open_event(earlier, "nanoseconds_since"));
}

} // namespace cmm::boundary
