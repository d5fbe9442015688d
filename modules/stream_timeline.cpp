// SPDX-License-Identifier: Apache-2.0
// Timelines: marks, the events behind them, and what is kept per context.
module;
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>
module cmm.stream;
import :timelines;
import cmm.context;
import cmm.driver;

namespace cmm::detail {

namespace {

// Refused for the sake of a capture (CUDA_ERROR_STREAM_CAPTURE_*), which says nothing of the work before it.
bool is_capture_refusal(driver::result r) noexcept {
    return r >= driver::result::capture_unsupported && static_cast<int>(r) < 910;
}

struct per_context {
    std::vector<driver::event_handle> events;
    timeline* legacy = nullptr;
    driver::stream_handle bridge = nullptr;
};

// Everything that is kept per context, for one driver. Never freed: static destructors may still need it.
struct kept {
    std::mutex lock;
    std::uint64_t generation = 0;
    std::unordered_map<driver::context_handle, per_context> contexts;
    std::vector<timeline*> spare_marks;
};

kept& all() {
    static auto* k = new kept;
    return *k;
}

// Under the lock. Objects of an earlier driver are forgotten with it.
per_context& of(kept& k, driver::context_handle context) {
    if (k.generation != driver::generation()) {
        k.contexts.clear();
        k.generation = driver::generation();
    }
    return k.contexts[context];
}

timeline* new_mark() {
    auto& k = all();
    {
        const std::lock_guard lock(k.lock);
        if (!k.spare_marks.empty()) {
            auto* t = k.spare_marks.back();
            k.spare_marks.pop_back();
            t->references.store(1, std::memory_order_relaxed);
            return t;
        }
    }
    return new timeline;
}

void recycle(timeline* mark) {
    auto& k = all();
    const std::lock_guard lock(k.lock);
    if (mark->generation == driver::generation())
        of(k, mark->context).events.push_back(mark->event);
    mark->event = nullptr;
    k.spare_marks.push_back(mark);
}

} // namespace

driver::event_handle take_event(driver::context_handle context) noexcept {
    auto& k = all();
    {
        const std::lock_guard lock(k.lock);
        auto& events = of(k, context).events;
        if (!events.empty()) {
            auto* e = events.back();
            events.pop_back();
            return e;
        }
    }
    driver::event_handle made = nullptr;
    return driver::ok(driver::create_event(false, made)) ? made : nullptr;
}

void give_event(driver::context_handle context, driver::event_handle e) noexcept {
    if (!e)
        return;
    auto& k = all();
    const std::lock_guard lock(k.lock);
    of(k, context).events.push_back(e);
}

timeline* record_mark(driver::context_handle context, driver::stream_handle s) noexcept {
    auto* e = take_event(context);
    if (!e)
        return nullptr;
    if (!driver::ok(driver::record_event(e, s))) {
        give_event(context, e);
        return nullptr;
    }
    auto* t = new_mark();
    t->kind = timeline_kind::mark;
    t->context = context;
    t->event = e;
    t->generation = driver::generation();
    return t;
}

timeline* legacy_timeline(driver::context_handle context) noexcept {
    auto& k = all();
    const std::lock_guard lock(k.lock);
    auto& t = of(k, context).legacy;
    if (!t) {
        t = new timeline;
        t->kind = timeline_kind::legacy;
        t->context = context;
    }
    return t;
}

driver::stream_handle bridge_stream(driver::context_handle context) noexcept {
    auto& k = all();
    const std::lock_guard lock(k.lock);
    auto& s = of(k, context).bridge;
    if (!s && !driver::ok(driver::create_stream(false, 0, s)))
        s = nullptr;
    return s;
}

void retain(timeline* t) noexcept { t->references.fetch_add(1, std::memory_order_relaxed); }

void release(timeline* t) noexcept {
    if (t->references.fetch_sub(1, std::memory_order_acq_rel) != 1)
        return;
    if (t->kind == timeline_kind::mark) {
        recycle(t);
        return;
    }
    if (t->last)
        release(t->last);
    delete t;
}

timeline_ptr mark(timeline& t, bool& idle) noexcept {
    idle = false;
    if (t.kind == timeline_kind::mark) {
        retain(&t);
        return timeline_ptr(&t);
    }
    const std::lock_guard lock(t.lock);
    if (t.kind == timeline_kind::stream && !t.handle) {
        idle = !t.last;
        if (t.last)
            retain(t.last);
        return timeline_ptr(t.last);
    }
    try {
        const current_context in(t.context);
        const relaxed_capture relaxed;
        bool capturing = false;
        if (!driver::ok(driver::is_capturing(t.handle, capturing)) || capturing)
            return {};
        const auto r = driver::query_stream(t.handle);
        if (is_capture_refusal(r))
            return {};
        idle = r != driver::result::not_ready; // finished, or failed and never to run
        return timeline_ptr(idle ? nullptr : record_mark(t.context, t.handle));
    } catch (const error&) {
        idle = true; // no context is left that could still be running
        return {};
    }
}

// Asking about events is forbidden while anybody captures globally.
bool finished(timeline& mark) noexcept {
    const relaxed_capture relaxed;
    return driver::query_event(mark.event) != driver::result::not_ready;
}

bool is_finished_mark(timeline& t) noexcept { return t.kind == timeline_kind::mark && finished(t); }

void wait_if_mark(timeline& t) noexcept {
    if (t.kind != timeline_kind::mark)
        return;
    const relaxed_capture relaxed;
    driver::synchronize_event(t.event);
}

} // namespace cmm::detail
