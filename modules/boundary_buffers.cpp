// SPDX-License-Identifier: Apache-2.0
// Resources, buffers, views and the advice of one buffer, over handles.
module;
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>
module cmm.boundary;
import :objects;
import cmm.driver;

namespace cmm::boundary {

namespace {

std::optional<device> optional_device(std::int32_t ordinal) {
    return ordinal == -1 ? std::nullopt : std::optional(device{ordinal});
}

handle new_buffer(buffer&& b) { return insert(object_kind::buffer, managed_buffer(b.let_go())); }

const managed_memory_resource& managed(const any_resource& r, const char* operation) {
    if (const auto* m = std::get_if<managed_memory_resource>(&r))
        return *m;
    throw not_supported({operation, "resource"}, "the resource makes no managed memory; use a managed_memory_resource");
}

held<any_resource> resource(handle r, const char* operation) {
    return {r, object_kind::resource, {operation, "resource"}};
}

held_buffer open_buffer(handle b, const char* operation) { return {b, object_kind::buffer, {operation, "buffer"}}; }

} // namespace

handle resource_managed(std::int32_t ordinal, std::int32_t attached) {
    return insert(object_kind::resource,
                  any_resource(managed_memory_resource({optional_device(ordinal), static_cast<attach>(attached)})));
}

handle resource_arena(std::int32_t ordinal, std::int32_t attached, std::uint64_t slab_bytes, std::uint64_t limit_bytes) {
    return insert(object_kind::resource,
                  any_resource(managed_memory_resource::arena(
                      {optional_device(ordinal), static_cast<attach>(attached), slab_bytes, limit_bytes})));
}

handle resource_pinned() { return insert(object_kind::resource, any_resource(pinned_memory_resource())); }

handle resource_device(std::int32_t ordinal) {
    return insert(object_kind::resource, any_resource(device_memory_resource(device{ordinal == -1 ? 0 : ordinal})));
}

handle resource_allocate(handle r, std::uint64_t bytes) {
    const auto from = resource(r, "allocate");
    return std::visit([&](const auto& each) { return new_buffer(each.allocate(bytes)); }, *from);
}

std::vector<handle> resource_allocate_batch(handle r, std::span<const std::uint64_t> sizes) {
    const auto from = resource(r, "allocate_batch");
    const std::vector<std::size_t> bytes(sizes.begin(), sizes.end());
    auto made = managed(*from, "allocate_batch").allocate_batch(bytes);
    std::vector<handle> out;
    out.reserve(made.size());
    for (auto& b : made)
        out.push_back(new_buffer(std::move(b)));
    return out;
}

arena_statistics resource_stats(handle r) {
    const auto of = resource(r, "stats");
    return managed(*of, "stats").stats();
}

std::uint64_t resource_trim(handle r) {
    const auto of = resource(r, "trim");
    return managed(*of, "trim").trim();
}

bool resource_is_arena(handle r) {
    const auto of = resource(r, "is_arena");
    const auto* m = std::get_if<managed_memory_resource>(&*of);
    return m && m->is_arena();
}

std::int32_t resource_device_ordinal(handle r) {
    const auto of = resource(r, "device");
    if (std::holds_alternative<pinned_memory_resource>(*of))
        return -1;
    if (const auto* d = std::get_if<device_memory_resource>(&*of))
        return d->device().ordinal();
    return std::get<managed_memory_resource>(*of).device().ordinal();
}

handle buffer_borrow(std::uint64_t address, std::uint64_t bytes, bool must_be_managed, void (*release)(void*), void* user) {
    std::shared_ptr<const void> owner;
    if (release)
        owner = std::shared_ptr<const void>(user, [release](const void* p) { release(const_cast<void*>(p)); });
    auto* const at = reinterpret_cast<void*>(address);
    return new_buffer(must_be_managed ? managed_buffer::from_handle(at, bytes, std::move(owner))
                                      : buffer::from_handle(at, bytes, std::move(owner)));
}

std::uint64_t buffer_address(handle b) { return open_buffer(b, "handle")->handle(); }
std::uint64_t buffer_bytes(handle b) { return open_buffer(b, "size")->size(); }
std::int32_t buffer_kind(handle b) { return static_cast<std::int32_t>(open_buffer(b, "kind")->kind()); }
std::int32_t buffer_device(handle b) { return open_buffer(b, "device")->device().ordinal(); }

handle buffer_slice(handle b, std::uint64_t offset, std::uint64_t bytes) {
    return new_buffer(open_buffer(b, "slice")->slice(offset, bytes));
}

void buffer_close_after(handle b, stream_code s) {
    if (!is_open(b))
        return;
    {
        const auto held = open_buffer(b, "close");
        const held_stream stream(s, "close");
        if (const auto end = detail::mark_of(stream.ref()))
            detail::mark_use(*held->state()->root, end.get());
    }
    buffer_close(b);
}

void buffer_close(handle b) noexcept {
    if (slot* s = try_hold(b, object_kind::buffer)) {
        static_cast<managed_buffer*>(s->object)->state()->close_is_explicit.store(true, std::memory_order_relaxed);
        close(b);
        let_go(*s);
    }
}

std::uint32_t buffer_views(handle b) {
    return open_buffer(b, "views")->state()->root->views.load(std::memory_order_relaxed);
}

handle view_open(handle b) {
    return insert(object_kind::view, open_buffer(b, "as_span")->as_span<unsigned char>());
}

std::uint64_t view_address(handle v) {
    const held<host_view<unsigned char>> view(v, object_kind::view, {"address", "view"});
    return reinterpret_cast<std::uint64_t>(view->data());
}

std::uint64_t view_bytes(handle v) {
    const held<host_view<unsigned char>> view(v, object_kind::view, {"bytes", "view"});
    return view->size();
}

std::uint64_t collect_retired() noexcept { return collect(); }
void drain_retired() noexcept { drain(); }

bool get_read_mostly(handle b) { return open_buffer(b, "read_mostly")->read_mostly(); }
void set_read_mostly(handle b, bool wanted) { open_buffer(b, "read_mostly")->read_mostly(wanted); }

location_code get_preferred_location(handle b) {
    return as_code(open_buffer(b, "preferred_location")->preferred_location());
}

void set_preferred_location(handle b, location_code wanted) {
    const auto held = open_buffer(b, "preferred_location");
    held->preferred_location(wanted.kind == 0
                                 ? std::nullopt
                                 : std::optional(as_location(wanted, {"preferred_location", "location"})));
}

location_code get_last_prefetch_location(handle b) {
    return as_code(open_buffer(b, "last_prefetch_location")->last_prefetch_location());
}

accessor_set get_accessed_by(handle b) { return accessors(*open_buffer(b, "accessed_by")); }

void assign_accessed_by(handle b, std::span<const location_code> wanted) {
    const auto held = open_buffer(b, "accessed_by");
    const held_locations locations("assign_accessed_by", wanted, true);
    cmm::assign_accessed_by(*held, locations.list());
}

void add_accessed_by(handle b, location_code l) {
    open_buffer(b, "accessed_by")->accessed_by().add(as_location(l, {"accessed_by", "location"}));
}

void discard_accessed_by(handle b, location_code l) {
    open_buffer(b, "accessed_by")->accessed_by().discard(as_location(l, {"accessed_by", "location"}));
}

} // namespace cmm::boundary
