// SPDX-License-Identifier: Apache-2.0
// Buffers and their views.
#include <cmm/cmm.h>
#include <cstddef>
#include <cstdint>
import cmm.capi;

using namespace cmm;
using namespace cmm::capi;
using boundary::object_kind;

cmm_status cmm_buffer_borrow(void* address, size_t bytes, bool managed, void (*release)(void*),
                             void* user, cmm_buffer* out) noexcept {
    return guarded([&] {
        if (!out && release)
            release(user);
        auto& b = wanted(out, "from_handle");
        b.id = boundary::buffer_borrow(reinterpret_cast<std::uintptr_t>(address), bytes, managed,
                                       release, user);
    });
}

cmm_status cmm_buffer_slice(cmm_buffer b, size_t offset, size_t bytes, cmm_buffer* out) noexcept {
    return guarded([&] {
        auto& slice = wanted(out, "slice");
        slice.id = boundary::buffer_slice(b.id, offset, bytes);
    });
}

void cmm_buffer_close(cmm_buffer b) noexcept { boundary::buffer_close(b.id); }

cmm_status cmm_buffer_close_after(cmm_buffer b, cmm_stream_ref s) noexcept {
    return guarded([&] {
        if (cmm_buffer_is_open(b))
            boundary::buffer_close_after(b.id, as_code(s));
    });
}

void cmm_buffer_drop(cmm_buffer b) noexcept {
    if (cmm_buffer_is_open(b))
        boundary::close(b.id);
}

bool cmm_buffer_is_open(cmm_buffer b) noexcept {
    return boundary::kind_of(b.id) == object_kind::buffer;
}

cmm_status cmm_buffer_data(cmm_buffer b, void** out) noexcept {
    return guarded(
        [&] { wanted(out, "data") = reinterpret_cast<void*>(boundary::buffer_address(b.id)); });
}

cmm_status cmm_buffer_size(cmm_buffer b, size_t* out) noexcept {
    return guarded([&] { wanted(out, "size") = boundary::buffer_bytes(b.id); });
}

cmm_status cmm_buffer_kind(cmm_buffer b, int32_t* out) noexcept {
    return guarded([&] { wanted(out, "kind") = boundary::buffer_kind(b.id); });
}

cmm_status cmm_buffer_device(cmm_buffer b, int32_t* out) noexcept {
    return guarded([&] { wanted(out, "device") = boundary::buffer_device(b.id); });
}

cmm_status cmm_view_open(cmm_buffer b, cmm_view* out, void** data, size_t* bytes) noexcept {
    return guarded([&] {
        auto& v = wanted(out, "as_span");
        const handle opened = boundary::view_open(b.id);
        if (data)
            *data = reinterpret_cast<void*>(boundary::view_address(opened));
        if (bytes)
            *bytes = boundary::view_bytes(opened);
        v.id = opened;
    });
}

void cmm_view_close(cmm_view v) noexcept {
    if (cmm_view_is_open(v))
        boundary::close(v.id);
}

bool cmm_view_is_open(cmm_view v) noexcept { return boundary::kind_of(v.id) == object_kind::view; }

size_t cmm_collect(void) noexcept { return boundary::collect_retired(); }
void cmm_drain(void) noexcept { boundary::drain_retired(); }
