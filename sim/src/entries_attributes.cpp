// SPDX-License-Identifier: Apache-2.0
// What the driver tells about pointers and about managed ranges.
#include "entry.h"
#include "managed.h"

#include <cstring>

namespace sim {
namespace {

// CUmem_range_attribute
enum class range_attribute : int {
    read_mostly = 1,
    preferred_location = 2,
    accessed_by = 3,
    last_prefetch_location = 4,
    preferred_type = 5,
    preferred_id = 6,
    last_prefetch_type = 7,
    last_prefetch_id = 8,
};

int as_ordinal(location where) {
    if (where.type == location_type::none)
        return invalid_ordinal;
    return where.type == location_type::device ? where.id : cpu_ordinal;
}

int id_of(location where) { return where.type == location_type::none ? invalid_ordinal : where.id; }

int single_value(const page_map& pages, page_span of, range_attribute asked) {
    switch (asked) {
    case range_attribute::read_mostly: return pages.read_mostly(of) ? 1 : 0;
    case range_attribute::preferred_location: return as_ordinal(pages.preferred(of));
    case range_attribute::last_prefetch_location: return as_ordinal(pages.prefetched(of));
    case range_attribute::preferred_type: return static_cast<int>(pages.preferred(of).type);
    case range_attribute::preferred_id: return id_of(pages.preferred(of));
    case range_attribute::last_prefetch_type: return static_cast<int>(pages.prefetched(of).type);
    case range_attribute::last_prefetch_id: return id_of(pages.prefetched(of));
    case range_attribute::accessed_by: break;
    }
    refuse(result::invalid_value);
}

// Devices in ascending order, then the host; what is left of the list says "none".
void list_accessors(accessors of, int* out, std::size_t count) {
    std::size_t filled = 0;
    for (int device = 0; device < 64 && filled < count; ++device)
        if ((of.devices >> device & 1U) != 0)
            out[filled++] = device;
    if (of.host && filled < count)
        out[filled++] = cpu_ordinal;
    std::fill(out + filled, out + count, invalid_ordinal);
}

void check_range_attribute(const world& w, int asked, std::size_t size) {
    const int last = w.config.version >= 12020 ? 8 : 4;
    refuse_if(asked < 1 || asked > last);
    const bool list = asked == static_cast<int>(range_attribute::accessed_by);
    refuse_if(list ? size == 0 || size % sizeof(int) != 0 : size != sizeof(int));
}

void answer(const world& w, page_span pages, void* out, std::size_t size, int asked) {
    refuse_if(out == nullptr);
    check_range_attribute(w, asked, size);
    auto* values = static_cast<int*>(out);
    if (asked == static_cast<int>(range_attribute::accessed_by))
        list_accessors(w.pages.accessed_by(pages), values, size / sizeof(int));
    else
        *values = single_value(w.pages, pages, static_cast<range_attribute>(asked));
}

page_span checked_pages(const world& w, range of) {
    managed_memory(w, of);
    return page_span::touching(of.address, of.bytes, w.config.page_size);
}

// CUpointer_attribute
enum class pointer_attribute : int {
    context = 1,
    memory_type = 2,
    device_pointer = 3,
    host_pointer = 4,
    sync_memops = 6,
    buffer_id = 7,
    is_managed = 8,
    device_ordinal = 9,
    ipc_capable = 10,
    range_start = 11,
    range_size = 12,
    mapped = 13,
    handle_types = 14,
    gpu_direct = 15,
    access_flags = 16,
    pool = 17,
};

template <class Value> void put(void* out, Value value) { std::memcpy(out, &value, sizeof value); }

bool is_host(const block& of) {
    return of.kind == memory_kind::pinned || of.kind == memory_kind::registered;
}

void put_host_pointer(const block& of, device_ptr address, void* out) {
    refuse_if(of.kind == memory_kind::device);
    put(out, address);
}

handle pool_of(const block& of) { return of.pool == nullptr ? 0 : of.pool->id; }

void put_attribute(const block& of, device_ptr address, pointer_attribute asked, void* out) {
    constexpr unsigned host_memory = 1, device_memory = 2, read_write = 3;
    switch (asked) {
    case pointer_attribute::context: return put(out, of.pool == nullptr ? of.context : handle{0});
    case pointer_attribute::memory_type: return put(out, is_host(of) ? host_memory : device_memory);
    case pointer_attribute::device_pointer: return put(out, address);
    case pointer_attribute::host_pointer: return put_host_pointer(of, address, out);
    case pointer_attribute::buffer_id: return put(out, of.id);
    case pointer_attribute::is_managed: return put(out, unsigned{of.kind == memory_kind::managed});
    case pointer_attribute::device_ordinal: return put(out, of.device);
    case pointer_attribute::range_start: return put(out, of.address);
    case pointer_attribute::range_size: return put(out, of.bytes);
    case pointer_attribute::mapped: return put(out, 1U);
    case pointer_attribute::access_flags: return put(out, read_write);
    case pointer_attribute::pool: return put(out, pool_of(of));
    case pointer_attribute::sync_memops:
    case pointer_attribute::ipc_capable:
    case pointer_attribute::gpu_direct: return put(out, 0U);
    case pointer_attribute::handle_types: return put(out, std::uint64_t{0});
    }
    refuse(result::invalid_value);
}

// What cuPointerGetAttributes says of memory that the driver does not know, and of what a kind
// lacks.
void put_nothing(pointer_attribute asked, void* out) {
    switch (asked) {
    case pointer_attribute::context:
    case pointer_attribute::device_pointer:
    case pointer_attribute::host_pointer:
    case pointer_attribute::buffer_id:
    case pointer_attribute::range_start:
    case pointer_attribute::range_size:
    case pointer_attribute::handle_types:
    case pointer_attribute::pool: return put(out, std::uint64_t{0});
    case pointer_attribute::device_ordinal: return put(out, invalid_ordinal);
    default: return put(out, 0U);
    }
}

bool is_known(int asked) { return asked >= 1 && asked <= 17 && asked != 5; }

} // namespace
} // namespace sim

using namespace sim;

SIM_EXPORT result cuMemRangeGetAttribute(void* out, std::size_t size, int asked, device_ptr address,
                                         std::size_t bytes) {
    return entry("cuMemRangeGetAttribute")
        .range(address, bytes)
        .in_context([&](locked& w, context&) {
            answer(*w, checked_pages(*w, {address, bytes}), out, size, asked);
            return result::success;
        });
}

SIM_EXPORT result cuMemRangeGetAttributes(void** out, std::size_t* sizes, int* asked,
                                          std::size_t count, device_ptr address,
                                          std::size_t bytes) {
    return entry("cuMemRangeGetAttributes")
        .range(address, bytes)
        .attributes(count)
        .in_context([&](locked& w, context&) {
            refuse_if(out == nullptr || sizes == nullptr || asked == nullptr || count == 0);
            const page_span pages = checked_pages(*w, {address, bytes});
            for (std::size_t index = 0; index < count; ++index)
                answer(*w, pages, out[index], sizes[index], asked[index]);
            return result::success;
        });
}

SIM_EXPORT result cuPointerGetAttribute(void* out, int asked, device_ptr address) {
    return entry("cuPointerGetAttribute").range(address, 0).initialised([&](locked& w) {
        const block* held = w->memory.find(address);
        if (out == nullptr || held == nullptr || !is_known(asked))
            return result::invalid_value;
        put_attribute(*held, address, static_cast<pointer_attribute>(asked), out);
        return result::success;
    });
}

SIM_EXPORT result cuPointerGetAttributes(unsigned count, int* asked, void** out,
                                         device_ptr address) {
    return entry("cuPointerGetAttributes")
        .range(address, 0)
        .attributes(count)
        .initialised([&](locked& w) {
            refuse_if(count == 0 || asked == nullptr || out == nullptr);
            const block* held = w->memory.find(address);
            for (unsigned index = 0; index < count; ++index) {
                refuse_if(!is_known(asked[index]) || out[index] == nullptr);
                const auto wanted = static_cast<pointer_attribute>(asked[index]);
                const bool lacks = held == nullptr || (wanted == pointer_attribute::host_pointer &&
                                                       held->kind == memory_kind::device);
                lacks ? put_nothing(wanted, out[index])
                      : put_attribute(*held, address, wanted, out[index]);
            }
            return result::success;
        });
}

SIM_EXPORT result cuPointerSetAttribute(const void* value, int asked, device_ptr address) {
    return entry("cuPointerSetAttribute").range(address, 0).initialised([&](locked& w) {
        refuse_if(value == nullptr || asked != static_cast<int>(pointer_attribute::sync_memops));
        refuse_if(w->memory.find(address) == nullptr);
        return result::success;
    });
}

static const export_list attribute_exports{
    row<cuMemRangeGetAttribute>("cuMemRangeGetAttribute", 8000),
    row<cuMemRangeGetAttributes>("cuMemRangeGetAttributes", 8000),
    row<cuPointerGetAttribute>("cuPointerGetAttribute", 4000),
    row<cuPointerGetAttributes>("cuPointerGetAttributes", 7000),
    row<cuPointerSetAttribute>("cuPointerSetAttribute", 6000),
};
