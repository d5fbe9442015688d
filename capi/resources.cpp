// SPDX-License-Identifier: Apache-2.0
// Resources: what buffers come from.
#include <cmm/cmm.h>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <span>
#include <vector>
import cmm.capi;

using namespace cmm;
using namespace cmm::capi;
using boundary::object_kind;

namespace {

handle create(const cmm_resource_options& o) {
    switch (o.kind) {
    case CMM_RESOURCE_MANAGED: return boundary::resource_managed(o.device, o.attached);
    case CMM_RESOURCE_ARENA:
        return boundary::resource_arena(o.device, o.attached, o.slab_bytes, o.limit_bytes);
    case CMM_RESOURCE_PINNED: return boundary::resource_pinned();
    case CMM_RESOURCE_DEVICE: return boundary::resource_device(o.device);
    default:
        throw invalid_argument(
            {"resource", "kind"},
            fmt::format("{} is no kind of resource; allowed are 0 (managed) to 3 (device)",
                        o.kind));
    }
}

} // namespace

cmm_status cmm_resource_create(const cmm_resource_options* options, cmm_resource* out) noexcept {
    return guarded([&] {
        auto& r = wanted(out, "resource");
        cmm_resource_options known = CMM_RESOURCE_OPTIONS_INIT;
        if (options)
            read_struct(*options, known, "resource", "options");
        r.id = create(known);
    });
}

void cmm_resource_close(cmm_resource r) noexcept {
    if (cmm_resource_is_open(r))
        boundary::close(r.id);
}

bool cmm_resource_is_open(cmm_resource r) noexcept {
    return boundary::kind_of(r.id) == object_kind::resource;
}

cmm_status cmm_resource_is_arena(cmm_resource r, bool* out) noexcept {
    return guarded([&] { wanted(out, "is_arena") = boundary::resource_is_arena(r.id); });
}

cmm_status cmm_resource_device(cmm_resource r, int32_t* out) noexcept {
    return guarded([&] { wanted(out, "device") = boundary::resource_device_ordinal(r.id); });
}

cmm_status cmm_allocate(cmm_resource r, size_t bytes, cmm_buffer* out) noexcept {
    return guarded([&] {
        auto& b = wanted(out, "allocate");
        b.id = boundary::resource_allocate(r.id, bytes);
    });
}

cmm_status cmm_allocate_batch(cmm_resource r, const size_t* bytes, size_t count,
                              cmm_buffer* out) noexcept {
    return guarded([&] {
        if (!bytes && count != 0)
            refuse_null("allocate_batch", "sizes");
        if (!out && count != 0)
            refuse_null("allocate_batch", "out");
        const std::vector<std::uint64_t> sizes(bytes, bytes + count);
        const auto made = boundary::resource_allocate_batch(r.id, sizes);
        for (std::size_t i = 0; i < count; ++i)
            out[i].id = made[i];
    });
}

cmm_status cmm_resource_stats(cmm_resource r, cmm_arena_statistics* out) noexcept {
    return guarded([&] {
        auto& stats = wanted(out, "stats");
        require_struct(stats, "stats", "out");
        const auto now = boundary::resource_stats(r.id);
        write_struct(stats, {0, now.slabs, now.slab_bytes, now.pieces, now.piece_bytes,
                             now.free_stretches, now.largest_free});
    });
}

cmm_status cmm_resource_trim(cmm_resource r, uint64_t* bytes) noexcept {
    return guarded([&] {
        const auto given_back = boundary::resource_trim(r.id);
        if (bytes)
            *bytes = given_back;
    });
}
