// SPDX-License-Identifier: Apache-2.0
// Streams and events as the user holds them.
module;
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <mutex>
#include <utility>
struct CUstream_st;
module cmm.stream;
import :timelines;
import cmm.context;
import cmm.driver;

namespace cmm {

namespace {

int current_device(const error_site& site) {
    driver::context_handle now = nullptr;
    driver::check(driver::current_context(now), site, "cuCtxGetCurrent");
    int ordinal = 0;
    if (now)
        driver::check(driver::context_device(ordinal), site, "cuCtxGetDevice");
    return ordinal;
}

// The thread's current context where it is the wanted device's, else that device's primary one.
driver::context_handle context_for(const error_site& site, const stream_options& o, int& ordinal) {
    ordinal = current_device(site);
    if (o.device && o.device->ordinal() != ordinal) {
        detail::require_device({site.operation, "device"}, o.device->ordinal());
        ordinal = o.device->ordinal();
        return detail::primary_context(ordinal);
    }
    return detail::any_context(ordinal);
}

void require_priority(const error_site& site, int priority) {
    int least = 0;
    int greatest = 0;
    driver::check(driver::priority_range(least, greatest), site, "cuCtxGetStreamPriorityRange");
    if (priority > least || priority < greatest)
        throw invalid_argument({site.operation, "priority"},
                               fmt::format("{} is out of range; allowed are {} (most urgent) to {}",
                                           priority, greatest, least));
}

} // namespace

stream::stream(const stream_options& o) {
    const error_site site{"stream", {}};
    auto t = detail::timeline_ptr(new detail::timeline);
    t.get()->kind = detail::timeline_kind::stream;
    t.get()->context = context_for(site, o, t.get()->device);
    const detail::current_context in(t.get()->context);
    if (o.priority != 0)
        require_priority(site, o.priority);
    driver::check(driver::create_stream(o.blocking, o.priority, t.get()->handle), site,
                  "cuStreamCreateWithPriority");
    raw_ = t.get()->handle;
    own_ = std::move(t);
}

stream::stream(stream&& o) noexcept
    : own_(std::move(o.own_)), raw_(std::exchange(o.raw_, closed_handle)) {}

stream& stream::operator=(stream&& o) noexcept {
    if (this != &o) {
        close();
        own_ = std::move(o.own_);
        raw_ = std::exchange(o.raw_, closed_handle);
    }
    return *this;
}

stream::~stream() { close(); }

void stream::close() noexcept {
    if (!own_)
        return;
    auto& t = *own_.get();
    bool idle = false;
    auto last = detail::mark(t, idle);
    {
        const std::lock_guard lock(t.lock);
        if (last) {
            t.last = last.get();
            detail::retain(t.last);
        }
        driver::destroy_stream(std::exchange(t.handle, nullptr));
    }
    own_ = {};
    raw_ = closed_handle;
}

detail::timeline& stream::live(const char* operation) const {
    if (!own_)
        throw closed({operation, "stream"}, "the stream was closed");
    return *own_.get();
}

driver::stream_handle stream::handle() const { return live("handle").handle; }

void stream::sync() const {
    const auto& t = live("sync");
    const detail::current_context in(t.context);
    driver::check(driver::synchronize_stream(t.handle), {"sync", {}}, "cuStreamSynchronize");
}

bool stream::done() const {
    const auto& t = live("done");
    const detail::current_context in(t.context);
    const auto r = driver::query_stream(t.handle);
    if (r == driver::result::not_ready)
        return false;
    driver::check(r, {"done", {}}, "cuStreamQuery");
    return true;
}

void stream::wait(const event& e) const {
    const auto& t = live("wait");
    const detail::current_context in(t.context);
    driver::check(driver::stream_waits(t.handle, e.handle()), {"wait", {}}, "cuStreamWaitEvent");
}

void stream::wait(stream_ref other) const { wait(event(other)); }

event stream::record(bool timing) const {
    live("record");
    return event(*this, timing);
}

int stream::priority() const {
    int out = 0;
    driver::check(driver::stream_priority(live("priority").handle, out), {"priority", {}},
                  "cuStreamGetPriority");
    return out;
}

cmm::device stream::device() const { return cmm::device{live("device").device}; }

bool stream::capturing() const {
    bool out = false;
    driver::check(driver::is_capturing(live("capturing").handle, out), {"capturing", {}},
                  "cuStreamIsCapturing");
    return out;
}

priority_bounds stream::priorities(cmm::device d) {
    const error_site site{"priorities", "device"};
    detail::require_device(site, d.ordinal());
    const detail::current_context in(detail::primary_context(d.ordinal()));
    priority_bounds out{};
    driver::check(driver::priority_range(out.least, out.greatest), site, "cuCtxGetStreamPriorityRange");
    return out;
}

void synchronize(stream_ref s) {
    const error_site site{"synchronize", "stream"};
    const detail::stream_call call(site, s, 0);
    driver::check(driver::synchronize_stream(call.handle()), site, "cuStreamSynchronize");
}

event::event(stream_ref s, bool timing) : timing_(timing) {
    const error_site site{"event", "stream"};
    const detail::stream_call call(site, s, 0);
    driver::check(driver::create_event(timing, handle_), site, "cuEventCreate");
    context_ = call.context();
    const auto r = driver::record_event(handle_, call.handle());
    if (!driver::ok(r))
        close();
    driver::check(r, site, "cuEventRecord");
}

event::event(event&& o) noexcept
    : handle_(std::exchange(o.handle_, nullptr)), context_(o.context_), timing_(o.timing_) {}

event& event::operator=(event&& o) noexcept {
    if (this != &o) {
        close();
        handle_ = std::exchange(o.handle_, nullptr);
        context_ = o.context_;
        timing_ = o.timing_;
    }
    return *this;
}

event::~event() { close(); }

void event::close() noexcept {
    if (handle_)
        driver::destroy_event(std::exchange(handle_, nullptr));
}

driver::event_handle event::handle() const {
    if (!handle_)
        throw closed({"event", {}}, "the event was closed");
    return handle_;
}

void event::sync() const {
    driver::check(driver::synchronize_event(handle()), {"sync", {}}, "cuEventSynchronize");
}

bool event::done() const {
    const auto r = driver::query_event(handle());
    if (r == driver::result::not_ready)
        return false;
    driver::check(r, {"done", {}}, "cuEventQuery");
    return true;
}

double event::nanoseconds_since(const event& earlier) const {
    if (!timing_ || !earlier.timing_)
        throw invalid_argument({"nanoseconds_since", earlier.timing_ ? "event" : "earlier"},
                               "the event was recorded without timing; record both with timing");
    float milliseconds = 0;
    driver::check(driver::event_milliseconds(earlier.handle(), handle(), milliseconds),
                  {"nanoseconds_since", {}}, "cuEventElapsedTime");
    return static_cast<double>(milliseconds) * 1e6;
}

} // namespace cmm
