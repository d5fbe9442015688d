// SPDX-License-Identifier: Apache-2.0
// Memory: managed, device and pinned allocations, registered ranges.
#include "entry.h"

#include <algorithm>

namespace sim {
namespace {

constexpr std::size_t small_alignment = 64 << 10, large_alignment = 2 << 20;

std::size_t alignment_for(const world& w, std::size_t bytes) {
    return std::max(bytes >= large_alignment ? large_alignment : small_alignment,
                    w.config.page_size);
}

void own(world& w, block& made, const context& by) {
    made.id = w.next_number++;
    made.context = by.id;
    made.device = by.device;
}

device_ptr add(world& w, block_ref made, const context& by) {
    own(w, *made, by);
    const device_ptr address = made->address;
    w.memory.add(std::move(made));
    return address;
}

// The driver and the client of the simulated machine share one address space, and so does its
// memory limit: host memory that is pinned counts towards no limit.
void check_device_room(const world& w, const context& on, std::size_t bytes) {
    const auto used = w.memory.device_bytes(on.device);
    refuse_if(bytes > w.config.device_memory || used > w.config.device_memory - bytes,
              result::out_of_memory);
}

void check_managed_room(const world& w, std::size_t bytes) {
    const auto limit = w.config.managed_limit;
    refuse_if(limit != 0 && (bytes > limit || w.managed_bytes > limit - bytes),
              result::out_of_memory);
}

device_ptr allocate_pinned(world& w, const context& by, std::size_t bytes, unsigned flags) {
    auto made = std::make_shared<block>(memory_kind::pinned, bytes, alignment_for(w, 0));
    made->flags = flags;
    return add(w, std::move(made), by);
}

result host_alloc(entry call, void** out, std::size_t bytes, unsigned flags) {
    return call.range(0, bytes).in_context([&](locked& w, context& current) {
        refuse_if(out == nullptr || bytes == 0 || flags > 7);
        refuse_unsafe_in_capture(*w);
        *out = reinterpret_cast<void*>(allocate_pinned(*w, current, bytes, flags));
        return result::success;
    });
}

block& find_base(world& w, device_ptr base) {
    block* found = w.memory.find(base);
    refuse_if(found == nullptr || found->address != base);
    return *found;
}

device_ptr as_address(const void* pointer) { return reinterpret_cast<device_ptr>(pointer); }

} // namespace
} // namespace sim

using namespace sim;

SIM_EXPORT result cuMemAllocManaged(device_ptr* out, std::size_t bytes, unsigned flags) {
    constexpr unsigned global = 1, host = 2, single = 4;
    return entry("cuMemAllocManaged").range(0, bytes).in_context([&](locked& w, context& current) {
        refuse_if(!w->config.managed, result::not_supported);
        refuse_if(out == nullptr || bytes == 0 ||
                  (flags != global && flags != host && flags != single));
        refuse_unsafe_in_capture(*w);
        check_managed_room(*w, bytes);
        auto made = std::make_shared<block>(memory_kind::managed, bytes, alignment_for(*w, bytes));
        made->flags = flags;
        *out = add(*w, std::move(made), current);
        w->managed_bytes += bytes;
        return result::success;
    });
}

SIM_EXPORT result cuMemAlloc_v2(device_ptr* out, std::size_t bytes) {
    return entry("cuMemAlloc", 3020).range(0, bytes).in_context([&](locked& w, context& current) {
        refuse_if(out == nullptr || bytes == 0);
        refuse_unsafe_in_capture(*w);
        check_device_room(*w, current, bytes);
        *out =
            add(*w, std::make_shared<block>(memory_kind::device, bytes, alignment_for(*w, bytes)),
                current);
        return result::success;
    });
}

SIM_EXPORT result cuMemFree_v2(device_ptr base) {
    return entry("cuMemFree", 3020).range(base, 0).in_context([&](locked& w, context&) {
        if (base == 0)
            return result::success;
        refuse_unsafe_in_capture(*w);
        const memory_kind kind = find_base(*w, base).kind;
        refuse_if(kind != memory_kind::managed && kind != memory_kind::device);
        free_block(w, base);
        return result::success;
    });
}

SIM_EXPORT result cuMemHostAlloc(void** out, std::size_t bytes, unsigned flags) {
    return host_alloc(entry("cuMemHostAlloc"), out, bytes, flags);
}
SIM_EXPORT result cuMemAllocHost_v2(void** out, std::size_t bytes) {
    return host_alloc(entry("cuMemAllocHost", 3020), out, bytes, 0);
}

SIM_EXPORT result cuMemFreeHost(void* pointer) {
    return entry("cuMemFreeHost")
        .range(as_address(pointer), 0)
        .in_context([&](locked& w, context&) {
            if (pointer == nullptr)
                return result::success;
            refuse_unsafe_in_capture(*w);
            refuse_if(find_base(*w, as_address(pointer)).kind != memory_kind::pinned);
            free_block(w, as_address(pointer));
            return result::success;
        });
}

SIM_EXPORT result cuMemHostRegister_v2(void* pointer, std::size_t bytes, unsigned flags) {
    return entry("cuMemHostRegister", 6050)
        .range(as_address(pointer), bytes)
        .in_context([&](locked& w, context& current) {
            refuse_if(pointer == nullptr || bytes == 0 || flags > 15);
            refuse_unsafe_in_capture(*w);
            refuse_if(w->memory.overlaps(as_address(pointer), bytes),
                      result::host_memory_already_registered);
            auto made = std::make_shared<block>(pointer, bytes);
            made->flags = flags;
            add(*w, std::move(made), current);
            return result::success;
        });
}

SIM_EXPORT result cuMemHostUnregister(void* pointer) {
    return entry("cuMemHostUnregister")
        .range(as_address(pointer), 0)
        .in_context([&](locked& w, context&) {
            refuse_unsafe_in_capture(*w);
            const block* found = w->memory.find(as_address(pointer));
            refuse_if(found == nullptr || found->kind != memory_kind::registered ||
                          found->address != as_address(pointer),
                      result::host_memory_not_registered);
            free_block(w, as_address(pointer));
            return result::success;
        });
}

SIM_EXPORT result cuMemHostGetDevicePointer_v2(device_ptr* out, void* pointer, unsigned flags) {
    return entry("cuMemHostGetDevicePointer", 3020)
        .range(as_address(pointer), 0)
        .in_context([&](locked& w, context&) {
            const block* found = w->memory.find(as_address(pointer));
            refuse_if(out == nullptr || flags != 0 || found == nullptr ||
                      found->kind == memory_kind::device);
            *out = as_address(pointer);
            return result::success;
        });
}

SIM_EXPORT result cuMemHostGetFlags(unsigned* flags, void* pointer) {
    return entry("cuMemHostGetFlags")
        .range(as_address(pointer), 0)
        .in_context([&](locked& w, context&) {
            const block* found = w->memory.find(as_address(pointer));
            refuse_if(flags == nullptr || found == nullptr || found->kind != memory_kind::pinned);
            *flags = found->flags;
            return result::success;
        });
}

SIM_EXPORT result cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    return entry("cuMemGetInfo", 3020).in_context([&](locked& w, context& current) {
        const auto used = w->memory.device_bytes(current.device);
        if (total != nullptr)
            *total = w->config.device_memory;
        if (free != nullptr)
            *free = w->config.device_memory - std::min(used, w->config.device_memory);
        return result::success;
    });
}

SIM_EXPORT result cuMemGetAddressRange_v2(device_ptr* base, std::size_t* bytes,
                                          device_ptr address) {
    return entry("cuMemGetAddressRange", 3020)
        .range(address, 0)
        .in_context([&](locked& w, context&) {
            const block* found = w->memory.find(address);
            refuse_if(found == nullptr, result::not_found);
            if (base != nullptr)
                *base = found->address;
            if (bytes != nullptr)
                *bytes = found->bytes;
            return result::success;
        });
}

static const export_list memory_exports{
    row<cuMemAllocManaged>("cuMemAllocManaged", 6000),
    row<cuMemAlloc_v2>("cuMemAlloc", 3020),
    row<cuMemFree_v2>("cuMemFree", 3020),
    row<cuMemHostAlloc>("cuMemHostAlloc", 2020),
    row<cuMemAllocHost_v2>("cuMemAllocHost", 3020),
    row<cuMemFreeHost>("cuMemFreeHost", 2000),
    row<cuMemHostRegister_v2>("cuMemHostRegister", 4000),
    row<cuMemHostRegister_v2>("cuMemHostRegister", 6050),
    row<cuMemHostUnregister>("cuMemHostUnregister", 4000),
    row<cuMemHostGetDevicePointer_v2>("cuMemHostGetDevicePointer", 3020),
    row<cuMemHostGetFlags>("cuMemHostGetFlags", 2030),
    row<cuMemGetInfo_v2>("cuMemGetInfo", 3020),
    row<cuMemGetAddressRange_v2>("cuMemGetAddressRange", 3020),
};
