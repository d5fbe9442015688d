// SPDX-License-Identifier: Apache-2.0
// Capture of streams: begin, end, what is going on, the mode of the thread.
#include "entry.h"

namespace sim {
namespace {

constexpr int status_none = 0, status_active = 1, status_invalidated = 2;

int status_of(const stream& of) {
    if (of.capturing == nullptr)
        return status_none;
    return of.capturing->invalidated ? status_invalidated : status_active;
}

capture_mode checked_mode(int mode) {
    refuse_if(mode < 0 || mode > static_cast<int>(capture_mode::relaxed));
    return static_cast<capture_mode>(mode);
}

result begin(entry call, handle given, int mode) {
    return call.on(given).in_context([&](locked& w, context& current) {
        begin_capture(*w, find_stream(*w, current, given), checked_mode(mode));
        return result::success;
    });
}

struct capture_info {
    int* status;
    std::uint64_t* id = nullptr;
    handle* into = nullptr;
    const handle** tail = nullptr;
    const void** edges = nullptr;
    std::size_t* count = nullptr;
};

void tell_tail(stream& of, const capture_info& out) {
    auto& shown = of.capturing->shown_tail;
    shown.clear();
    for (const node* last : of.tail)
        shown.push_back(last->id);
    if (out.tail != nullptr)
        *out.tail = shown.data();
    if (out.edges != nullptr)
        *out.edges = nullptr; // every edge is an ordinary one
    if (out.count != nullptr)
        *out.count = shown.size();
}

result tell(entry call, handle given, const capture_info& out) {
    return call.on(given).initialised([&](locked& w) {
        refuse_if(out.status == nullptr);
        stream& of = stream_anywhere(*w, given);
        refuse_implicit(of, false);
        *out.status = status_of(of);
        if (*out.status != status_active)
            return result::success;
        if (out.id != nullptr)
            *out.id = of.capturing->id;
        if (out.into != nullptr)
            *out.into = of.capturing->into->id;
        tell_tail(of, out);
        return result::success;
    });
}

result update_tail(entry call, handle given, const handle* nodes, std::size_t count,
                   unsigned flags) {
    constexpr unsigned add = 0, set = 1;
    return call.on(given).in_context([&](locked& w, context& current) {
        stream& of = find_stream(*w, current, given);
        refuse_if(of.capturing == nullptr, result::illegal_state);
        refuse_if(flags > set || (nodes == nullptr && count != 0));
        std::vector<node*> tail = flags == add ? of.tail : std::vector<node*>{};
        for (std::size_t index = 0; index < count; ++index) {
            node* known = of.capturing->into->find(nodes[index]);
            refuse_if(known == nullptr);
            tail.push_back(known);
        }
        of.tail = std::move(tail);
        return result::success;
    });
}

} // namespace
} // namespace sim

using namespace sim;

SIM_EXPORT result cuStreamBeginCapture_v2(handle given, int mode) {
    return begin(entry("cuStreamBeginCapture", 10010), given, mode);
}

SIM_EXPORT result cuStreamEndCapture(handle given, handle* out) {
    return entry("cuStreamEndCapture").on(given).in_context([&](locked& w, context& current) {
        refuse_if(out == nullptr);
        *out = 0;
        *out = end_capture(w, find_stream(*w, current, given))->id;
        return result::success;
    });
}

SIM_EXPORT result cuStreamIsCapturing(handle given, int* status) {
    return tell(entry("cuStreamIsCapturing"), given, {.status = status});
}

SIM_EXPORT result cuStreamGetCaptureInfo(handle given, int* status, std::uint64_t* id) {
    return tell(entry("cuStreamGetCaptureInfo", 10010), given, {.status = status, .id = id});
}

SIM_EXPORT result cuStreamGetCaptureInfo_v2(handle given, int* status, std::uint64_t* id,
                                            handle* into, const handle** tail, std::size_t* count) {
    return tell(entry("cuStreamGetCaptureInfo", 11030), given,
                {.status = status, .id = id, .into = into, .tail = tail, .count = count});
}

SIM_EXPORT result cuStreamGetCaptureInfo_v3(handle given, int* status, std::uint64_t* id,
                                            handle* into, const handle** tail, const void** edges,
                                            std::size_t* count) {
    return tell(
        entry("cuStreamGetCaptureInfo", 12030), given,
        {.status = status, .id = id, .into = into, .tail = tail, .edges = edges, .count = count});
}

SIM_EXPORT result cuStreamUpdateCaptureDependencies(handle given, handle* nodes, std::size_t count,
                                                    unsigned flags) {
    return update_tail(entry("cuStreamUpdateCaptureDependencies", 11030), given, nodes, count,
                       flags);
}

SIM_EXPORT result cuStreamUpdateCaptureDependencies_v2(handle given, handle* nodes, const void*,
                                                       std::size_t count, unsigned flags) {
    return update_tail(entry("cuStreamUpdateCaptureDependencies", 12030), given, nodes, count,
                       flags);
}

SIM_EXPORT result cuThreadExchangeStreamCaptureMode(int* mode) {
    return entry("cuThreadExchangeStreamCaptureMode").initialised([&](locked&) {
        refuse_if(mode == nullptr);
        const capture_mode wanted = checked_mode(*mode);
        *mode = static_cast<int>(std::exchange(this_thread().mode, wanted));
        return result::success;
    });
}

static const export_list capture_exports{
    stream_row<cuStreamBeginCapture_v2>("cuStreamBeginCapture", 10010),
    stream_row<cuStreamEndCapture>("cuStreamEndCapture", 10000),
    stream_row<cuStreamIsCapturing>("cuStreamIsCapturing", 10000),
    stream_row<cuStreamGetCaptureInfo>("cuStreamGetCaptureInfo", 10010),
    stream_row<cuStreamGetCaptureInfo_v2>("cuStreamGetCaptureInfo", 11030),
    stream_row<cuStreamGetCaptureInfo_v3>("cuStreamGetCaptureInfo", 12030),
    stream_row<cuStreamUpdateCaptureDependencies>("cuStreamUpdateCaptureDependencies", 11030),
    stream_row<cuStreamUpdateCaptureDependencies_v2>("cuStreamUpdateCaptureDependencies", 12030),
    row<cuThreadExchangeStreamCaptureMode>("cuThreadExchangeStreamCaptureMode", 10010),
};
