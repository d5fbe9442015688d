// SPDX-License-Identifier: Apache-2.0
// The stream of one call: context, capture state, where its work ends, and the bridge past the legacy
// stream.
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

namespace cmm::detail {

namespace {

// A named default stream belongs to the current context; any other handle knows its own.
driver::context_handle context_of(const error_site& site, const stream_ref& s, int device_hint) {
    if (s.own())
        return s.own()->context;
    if (s.is_legacy() || s.is_per_thread())
        return any_context(device_hint);
    driver::context_handle out = nullptr;
    driver::check(driver::stream_context(s.handle(), out), site, "cuStreamGetCtx");
    return out;
}

} // namespace

stream_call::stream_call(const error_site& site, stream_ref s, int device_hint)
    : site_(site), handle_(s.handle()), own_(s.own()) {
    if (s.is_closed()) [[unlikely]]
        throw closed({site.operation, "stream"}, "the stream was closed");
    context_ = context_of(site, s, device_hint);
    driver::context_handle now = nullptr;
    driver::check(driver::current_context(now), site, "cuCtxGetCurrent");
    if (now != context_) {
        driver::check(driver::push_context(context_), site, "cuCtxPushCurrent");
        pushed_ = true;
    }
    const auto r = driver::is_capturing(handle_, capturing_);
    implicit_ = r == driver::result::capture_implicit;
    if (!driver::ok(r) && !implicit_) {
        if (pushed_)
            driver::pop_context();
        driver::refuse(r, site, "cuStreamIsCapturing", "cuStreamIsCapturing");
    }
}

stream_call::~stream_call() {
    if (pushed_)
        driver::pop_context();
}

void stream_call::refuse_capture(const char* what) const {
    if (capturing_) [[unlikely]]
        throw not_supported({site_.operation, "stream"},
                            fmt::format("the stream is capturing and {} cannot be captured; the capture "
                                        "goes on unharmed; use another stream, or call it before the "
                                        "capture begins",
                                        what));
    if (implicit_) [[unlikely]]
        throw not_supported({site_.operation, "stream"},
                            fmt::format("a blocking stream of this context is capturing, and {} on the "
                                        "legacy default stream would break that capture; use a stream "
                                        "made for it",
                                        what));
}

timeline* identity(const stream_call& call) noexcept {
    return call.is_legacy() ? legacy_timeline(call.context()) : nullptr;
}

timeline_ptr stream_call::done_at() {
    if (own_) {
        retain(own_);
        return timeline_ptr(own_);
    }
    if (is_legacy()) {
        auto* t = legacy_timeline(context_);
        retain(t);
        return timeline_ptr(t);
    }
    if (!foreign_)
        foreign_ = timeline_ptr(record_mark(context_, handle_));
    if (!foreign_) {
        const relaxed_capture relaxed;
        driver::synchronize_stream(handle_);
    }
    return foreign_;
}

void pooled_event::take(const error_site& site, driver::context_handle context) {
    context_ = context;
    handle_ = take_event(context);
    if (!handle_)
        driver::refuse(driver::result::out_of_memory, site, "cuEventCreate", "cuEventCreate");
}

pooled_event::~pooled_event() { give_event(context_, handle_); }

batch_stream::batch_stream(const error_site& site, const stream_call& call)
    : site_(site), call_(call), handle_(call.handle()) {
    if (!call.is_legacy()) [[likely]]
        return;
    handle_ = bridge_stream(call.context());
    if (!handle_)
        driver::refuse(driver::result::out_of_memory, site, "cuStreamCreate", "cuStreamCreate");
    before_.take(site, call.context());
    after_.take(site, call.context());
    driver::check(driver::record_event(before_.handle(), call.handle()), site, "cuEventRecord");
    driver::check(driver::stream_waits(handle_, before_.handle()), site, "cuStreamWaitEvent");
    bridging_ = true;
}

batch_stream::~batch_stream() {
    if (bridging_ && driver::ok(driver::record_event(after_.handle(), handle_)))
        driver::stream_waits(call_.handle(), after_.handle());
}

void batch_stream::finish() {
    if (!std::exchange(bridging_, false)) [[likely]]
        return;
    driver::check(driver::record_event(after_.handle(), handle_), site_, "cuEventRecord");
    driver::check(driver::stream_waits(call_.handle(), after_.handle()), site_, "cuStreamWaitEvent");
}

timeline_ptr mark_of(stream_ref s) {
    const error_site site{"close", "stream"};
    stream_call call(site, s, 0);
    if (call.capturing())
        call.refuse_capture("a close");
    return call.done_at();
}

} // namespace cmm::detail
