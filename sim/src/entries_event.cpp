// SPDX-License-Identifier: Apache-2.0
// Events.
#include "entry.h"

#include <chrono>

namespace sim {
namespace {

constexpr unsigned disable_timing = 2, all_flags = 7, record_external = 1;

event& find_event(world& w, handle id) {
    const auto found = w.events.find(id);
    refuse_if(found == w.events.end(), result::invalid_handle);
    event& known = *found->second;
    const auto owner = w.contexts.find(known.context);
    refuse_if(owner == w.contexts.end(), result::context_is_destroyed);
    refuse_if(owner->second->sticky != result::success, owner->second->sticky);
    return known;
}

std::uint64_t now() {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

void record_in_capture(event& recorded, stream& on) {
    refuse_if(on.capturing->invalidated, result::capture_invalidated);
    recorded.captured = on.capturing;
    recorded.tail = on.tail;
    recorded.recorded = false;
}

void record_in_stream(world& w, event& recorded, stream& on) {
    recorded.captured.reset();
    recorded.timestamp = std::make_shared<std::uint64_t>(0);
    submit(w, on,
           {.uses = {},
            .run = {},
            .settle = [stamp = recorded.timestamp](world&) { *stamp = now(); },
            .after = {}});
    recorded.recorded = true;
    recorded.at = on.now();
}

result record(entry call, handle id, handle given, unsigned flags) {
    return call.on(given).in_context([&](locked& w, context& current) {
        refuse_if(flags > record_external);
        event& recorded = find_event(*w, id);
        stream& on = working_stream(*w, current, given);
        refuse_if(on.owner->id != recorded.context, result::invalid_handle);
        if (on.capturing != nullptr)
            record_in_capture(recorded, on);
        else
            record_in_stream(*w, recorded, on);
        return result::success;
    });
}

const event& finished_event(world& w, handle id) {
    const event& known = find_event(w, id);
    refuse_if((known.flags & disable_timing) != 0 || !known.recorded, result::invalid_handle);
    refuse_if(!known.at.reached(), result::not_ready);
    return known;
}

result elapsed(entry call, float* milliseconds, handle first, handle last) {
    return call.initialised([&](locked& w) {
        refuse_if(milliseconds == nullptr);
        const auto from = *finished_event(*w, first).timestamp;
        const auto until = *finished_event(*w, last).timestamp;
        *milliseconds =
            static_cast<float>(static_cast<double>(until) - static_cast<double>(from)) / 1e6F;
        return result::success;
    });
}

void refuse_captured(world& w, const event& known) {
    if (const auto inside = known.captured.lock();
        inside != nullptr && inside->origin->capturing == inside) {
        invalidate(*inside);
        refuse(result::captured_event);
    }
    refuse_unsafe_in_capture(w);
}

} // namespace
} // namespace sim

using namespace sim;

SIM_EXPORT result cuEventCreate(handle* out, unsigned flags) {
    return entry("cuEventCreate").in_context([&](locked& w, context& current) {
        refuse_if(out == nullptr || flags > all_flags);
        refuse_if((flags & 4U) != 0 &&
                  (flags & disable_timing) == 0); // interprocess events have no time
        auto made = std::make_shared<event>();
        made->id = w->new_handle();
        made->context = current.id;
        made->flags = flags;
        w->events.emplace(made->id, made);
        *out = made->id;
        return result::success;
    });
}

SIM_EXPORT result cuEventRecord(handle id, handle given) {
    return record(entry("cuEventRecord"), id, given, 0);
}
SIM_EXPORT result cuEventRecordWithFlags(handle id, handle given, unsigned flags) {
    return record(entry("cuEventRecordWithFlags"), id, given, flags);
}

SIM_EXPORT result cuEventQuery(handle id) {
    return entry("cuEventQuery").initialised([&](locked& w) {
        const event& known = find_event(*w, id);
        refuse_captured(*w, known);
        return !known.recorded || known.at.reached() ? result::success : result::not_ready;
    });
}

SIM_EXPORT result cuEventSynchronize(handle id) {
    return entry("cuEventSynchronize").initialised([&](locked& w) {
        const event& known = find_event(*w, id);
        refuse_captured(*w, known);
        if (known.recorded)
            wait_for(w, {known.at});
        return result::success;
    });
}

SIM_EXPORT result cuEventDestroy_v2(handle id) {
    return entry("cuEventDestroy", 4000).initialised([&](locked& w) {
        const auto found = w->events.find(id);
        refuse_if(found == w->events.end(), result::invalid_handle);
        w.later(std::move(found->second));
        w->events.erase(found);
        return result::success;
    });
}

SIM_EXPORT result cuEventElapsedTime(float* milliseconds, handle first, handle last) {
    return elapsed(entry("cuEventElapsedTime", 2000), milliseconds, first, last);
}
SIM_EXPORT result cuEventElapsedTime_v2(float* milliseconds, handle first, handle last) {
    return elapsed(entry("cuEventElapsedTime", 12080), milliseconds, first, last);
}

static const export_list event_exports{
    row<cuEventCreate>("cuEventCreate", 2000),
    stream_row<cuEventRecord>("cuEventRecord", 2000),
    stream_row<cuEventRecordWithFlags>("cuEventRecordWithFlags", 11010),
    row<cuEventQuery>("cuEventQuery", 2000),
    row<cuEventSynchronize>("cuEventSynchronize", 2000),
    row<cuEventDestroy_v2>("cuEventDestroy", 4000),
    row<cuEventElapsedTime>("cuEventElapsedTime", 2000),
    row<cuEventElapsedTime_v2>("cuEventElapsedTime", 12080),
};
