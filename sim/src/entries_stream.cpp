// SPDX-License-Identifier: Apache-2.0
// Streams: made, waited for, asked, let go.
#include "entry.h"

#include <algorithm>

namespace sim {
namespace {

constexpr int greatest_priority = -5;

result create(entry call, handle* out, unsigned flags, int priority) {
    return call.in_context([&](locked& w, context& current) {
        refuse_if(out == nullptr || flags > 1);
        const auto made = make_stream(*w, share_context(*w, current.id), flags,
                                      std::clamp(priority, greatest_priority, 0));
        w->streams.emplace(made->id, made);
        *out = made->id;
        return result::success;
    });
}

template <class Value, class Read> result ask(entry call, handle given, Value* out, Read read) {
    return call.on(given).initialised([&](locked& w) {
        refuse_if(out == nullptr);
        *out = read(stream_anywhere(*w, given));
        return result::success;
    });
}

} // namespace
} // namespace sim

using namespace sim;

SIM_EXPORT result cuStreamCreate(handle* out, unsigned flags) {
    return create(entry("cuStreamCreate"), out, flags, 0);
}
SIM_EXPORT result cuStreamCreateWithPriority(handle* out, unsigned flags, int priority) {
    return create(entry("cuStreamCreateWithPriority"), out, flags, priority);
}

SIM_EXPORT result cuStreamDestroy_v2(handle given) {
    return entry("cuStreamDestroy", 4000).on(given).initialised([&](locked& w) {
        const auto found = w->streams.find(given);
        refuse_if(found == w->streams.end(), result::invalid_handle);
        const stream_ref gone = found->second;
        w->streams.erase(found);
        leave_capture(w, *gone);
        close(w, *gone);
        return result::success;
    });
}

SIM_EXPORT result cuStreamSynchronize(handle given) {
    return entry("cuStreamSynchronize").on(given).initialised([&](locked& w) {
        stream& of = stream_anywhere(*w, given);
        refuse_capturing(of);
        refuse_unsafe_in_capture(*w);
        wait_for(w, work_until_now(of));
        return result::success;
    });
}

SIM_EXPORT result cuStreamQuery(handle given) {
    return entry("cuStreamQuery").on(given).initialised([&](locked& w) {
        stream& of = stream_anywhere(*w, given);
        refuse_capturing(of);
        refuse_unsafe_in_capture(*w);
        return work_until_now(of).empty() ? result::success : result::not_ready;
    });
}

SIM_EXPORT result cuStreamWaitEvent(handle given, handle event_id, unsigned flags) {
    return entry("cuStreamWaitEvent").on(given).in_context([&](locked& w, context& current) {
        refuse_if(flags > 1);
        const auto found = w->events.find(event_id);
        refuse_if(found == w->events.end(), result::invalid_handle);
        stream& on = working_stream(*w, current, given);
        const event& waited = *found->second;
        if (const auto inside = waited.captured.lock();
            inside != nullptr && inside->origin->capturing == inside) {
            refuse_if(current.legacy.get() == &on, result::capture_implicit);
            join_capture(*w, on, inside, waited.tail);
            return result::success;
        }
        if (on.capturing != nullptr) {
            invalidate(*on.capturing);
            refuse(result::capture_isolation);
        }
        if (waited.recorded && !waited.at.reached())
            submit(*w, on, {.uses = {}, .run = {}, .settle = {}, .after = {waited.at}});
        return result::success;
    });
}

SIM_EXPORT result cuStreamGetCtx(handle given, handle* out) {
    return ask(entry("cuStreamGetCtx", 9020), given, out, [](stream& of) { return of.owner->id; });
}

SIM_EXPORT result cuStreamGetCtx_v2(handle given, handle* out, handle* green) {
    if (green != nullptr)
        *green = 0;
    return ask(entry("cuStreamGetCtx", 12050), given, out, [](stream& of) { return of.owner->id; });
}

SIM_EXPORT result cuStreamGetDevice(handle given, int* device) {
    return ask(entry("cuStreamGetDevice"), given, device,
               [](stream& of) { return of.owner->device; });
}

SIM_EXPORT result cuStreamGetPriority(handle given, int* priority) {
    return ask(entry("cuStreamGetPriority"), given, priority,
               [](stream& of) { return of.priority; });
}

SIM_EXPORT result cuStreamGetFlags(handle given, unsigned* flags) {
    return ask(entry("cuStreamGetFlags"), given, flags, [](stream& of) { return of.flags; });
}

SIM_EXPORT result cuStreamGetId(handle given, std::uint64_t* id) {
    return ask(entry("cuStreamGetId"), given, id, [](stream& of) { return of.number; });
}

// Attaching memory to a stream is a hint where concurrentManagedAccess is 1: checked, and no more.
SIM_EXPORT result cuStreamAttachMemAsync(handle given, device_ptr address, std::size_t bytes,
                                         unsigned flags) {
    return entry("cuStreamAttachMemAsync")
        .on(given)
        .range(address, bytes)
        .in_context([&](locked& w, context& current) {
            stream& on = working_stream(*w, current, given);
            refuse_if(flags != 1 && flags != 2 && flags != 4);
            const block* held = w->memory.find(address);
            refuse_if(held == nullptr || held->kind != memory_kind::managed);
            refuse_capturing(on);
            return result::success;
        });
}

SIM_EXPORT result cuLaunchHostFunc(handle given, host_function function, void* argument) {
    return entry("cuLaunchHostFunc").on(given).in_context([&](locked& w, context& current) {
        refuse_if(function == nullptr);
        stream& on = working_stream(*w, current, given);
        submit_or_capture(
            *w, on, node_type::host,
            {.uses = {}, .run = [=] { function(argument); }, .settle = {}, .after = {}});
        return result::success;
    });
}

static const export_list stream_exports{
    row<cuStreamCreate>("cuStreamCreate", 2000),
    row<cuStreamCreateWithPriority>("cuStreamCreateWithPriority", 5050),
    row<cuStreamDestroy_v2>("cuStreamDestroy", 4000),
    stream_row<cuStreamSynchronize>("cuStreamSynchronize", 2000),
    stream_row<cuStreamQuery>("cuStreamQuery", 2000),
    stream_row<cuStreamWaitEvent>("cuStreamWaitEvent", 3020),
    stream_row<cuStreamGetCtx>("cuStreamGetCtx", 9020),
    stream_row<cuStreamGetCtx_v2>("cuStreamGetCtx", 12050),
    stream_row<cuStreamGetDevice>("cuStreamGetDevice", 12080),
    stream_row<cuStreamGetPriority>("cuStreamGetPriority", 5050),
    stream_row<cuStreamGetFlags>("cuStreamGetFlags", 5050),
    stream_row<cuStreamGetId>("cuStreamGetId", 12000),
    stream_row<cuStreamAttachMemAsync>("cuStreamAttachMemAsync", 6000),
    stream_row<cuLaunchHostFunc>("cuLaunchHostFunc", 10000),
};
