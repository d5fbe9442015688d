// SPDX-License-Identifier: Apache-2.0
// Streams and events.
#include <cmm/cmm.h>
#include <cstdint>
import cmm.capi;
import cmm.stream;

using namespace cmm;
using namespace cmm::capi;
using boundary::object_kind;

namespace {

bool is_open(handle h, object_kind kind) noexcept { return boundary::kind_of(h) == kind; }

// A handle of another kind is not closed by mistake.
void close_kind(handle h, object_kind kind) noexcept {
    if (is_open(h, kind))
        boundary::close(h);
}

void* as_pointer(std::uint64_t raw) noexcept { return reinterpret_cast<void*>(raw); }

} // namespace

cmm_status cmm_stream_create(const cmm_stream_options* options, cmm_stream* out) noexcept {
    return guarded([&] {
        auto& s = wanted(out, "stream");
        cmm_stream_options known = CMM_STREAM_OPTIONS_INIT;
        if (options)
            read_struct(*options, known, "stream", "options");
        s.id = boundary::stream_create(known.device, known.priority, known.blocking != 0);
    });
}

void cmm_stream_close(cmm_stream s) noexcept { close_kind(s.id, object_kind::stream); }
bool cmm_stream_is_open(cmm_stream s) noexcept { return is_open(s.id, object_kind::stream); }

cmm_status cmm_stream_handle(cmm_stream s, void** out) noexcept {
    return guarded([&] { wanted(out, "handle") = as_pointer(boundary::stream_raw(s.id)); });
}

cmm_status cmm_stream_device(cmm_stream s, int32_t* out) noexcept {
    return guarded([&] { wanted(out, "device") = boundary::stream_device(s.id); });
}

cmm_status cmm_stream_priority(cmm_stream s, int32_t* out) noexcept {
    return guarded([&] { wanted(out, "priority") = boundary::stream_priority(s.id); });
}

cmm_status cmm_stream_done(cmm_stream s, bool* out) noexcept {
    return guarded([&] { wanted(out, "done") = boundary::stream_done(s.id); });
}

cmm_status cmm_stream_capturing(cmm_stream s, bool* out) noexcept {
    return guarded([&] { wanted(out, "capturing") = boundary::stream_capturing(s.id); });
}

cmm_status cmm_stream_wait_event(cmm_stream s, cmm_event e) noexcept {
    return guarded([&] { boundary::stream_wait_event(s.id, e.id); });
}

cmm_status cmm_stream_wait_stream(cmm_stream s, cmm_stream_ref other) noexcept {
    return guarded([&] { boundary::stream_wait_stream(s.id, as_code(other)); });
}

cmm_status cmm_synchronize(cmm_stream_ref s) noexcept {
    return guarded([&] { boundary::stream_sync(as_code(s)); });
}

cmm_status cmm_stream_priorities(int32_t ordinal, int32_t* least, int32_t* greatest) noexcept {
    return guarded([&] {
        const auto bounds = stream::priorities(device{ordinal});
        if (least)
            *least = bounds.least;
        if (greatest)
            *greatest = bounds.greatest;
    });
}

cmm_status cmm_event_record(cmm_stream_ref s, bool timing, cmm_event* out) noexcept {
    return guarded([&] {
        auto& e = wanted(out, "record");
        e.id = boundary::event_record(as_code(s), timing);
    });
}

void cmm_event_close(cmm_event e) noexcept { close_kind(e.id, object_kind::event); }
bool cmm_event_is_open(cmm_event e) noexcept { return is_open(e.id, object_kind::event); }

cmm_status cmm_event_handle(cmm_event e, void** out) noexcept {
    return guarded([&] { wanted(out, "handle") = as_pointer(boundary::event_raw(e.id)); });
}

cmm_status cmm_event_sync(cmm_event e) noexcept {
    return guarded([&] { boundary::event_sync(e.id); });
}

cmm_status cmm_event_done(cmm_event e, bool* out) noexcept {
    return guarded([&] { wanted(out, "done") = boundary::event_done(e.id); });
}

cmm_status cmm_event_nanoseconds(cmm_event e, cmm_event earlier, double* out) noexcept {
    return guarded([&] {
        wanted(out, "nanoseconds_since") = boundary::event_nanoseconds_since(e.id, earlier.id);
    });
}
