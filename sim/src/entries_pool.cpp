// SPDX-License-Identifier: Apache-2.0
// Memory pools and allocation in stream order.
#include "entry.h"

#include <algorithm>

namespace sim {
namespace {

// CUmemPool_attribute
enum class pool_attribute : int {
    reuse_first = 1,
    reuse_last = 3,
    release_threshold = 4,
    reserved_current = 5,
    reserved_high = 6,
    used_current = 7,
    used_high = 8,
};

std::shared_ptr<memory_pool> share_pool(const world& w, handle id) {
    const auto found = w.pools.find(id);
    refuse_if(found == w.pools.end());
    return found->second;
}

handle add_pool(world& w, pool_type type, location where, bool by_client) {
    auto made = std::make_shared<memory_pool>();
    made->id = w.new_handle();
    made->type = type;
    made->where = where;
    made->owned_by_client = by_client;
    w.pools.emplace(made->id, made);
    return made->id;
}

handle default_pool(world& w, int device) {
    refuse_if(!w.device_exists(device), result::invalid_device);
    handle& known = w.default_pools[device];
    if (known == 0)
        known = add_pool(w, pool_type::pinned, {location_type::device, device}, false);
    return known;
}

handle current_pool(world& w, int device) {
    const handle by_default = default_pool(w, device);
    const auto chosen = w.current_pools.find(device);
    return chosen == w.current_pools.end() ? by_default : chosen->second;
}

// The pools of locations that are no device: one each for managed memory, keyed below every device.
handle default_pool_at(world& w, location where, int type) {
    constexpr int managed = static_cast<int>(pool_type::managed),
                  pinned = static_cast<int>(pool_type::pinned);
    refuse_if(type != managed && type != pinned);
    if (type == pinned && where.type == location_type::device)
        return default_pool(w, where.id);
    refuse_if(where.type == location_type::device && !w.device_exists(where.id));
    refuse_if(where.type == location_type::host_numa &&
              (where.id < 0 || where.id >= w.config.numa_nodes));
    const int key =
        -1 - (type * 1'000'000 + static_cast<int>(where.type) * 10'000 + std::max(where.id, 0));
    handle& known = w.default_pools[key];
    if (known == 0)
        known = add_pool(w, static_cast<pool_type>(type), where, false);
    return known;
}

void check_properties(const world& w, const pool_properties& given) {
    if (given.type == pool_type::managed) {
        refuse_if(w.config.version < 13000 || given.where.type > location_type::host_numa_current);
        refuse_if(given.where.type == location_type::device && !w.device_exists(given.where.id));
        return;
    }
    refuse_if(given.type != pool_type::pinned);
    const bool on_device =
        given.where.type == location_type::device && w.device_exists(given.where.id);
    const bool on_host =
        given.where.type == location_type::host || given.where.type == location_type::host_numa;
    refuse_if(!on_device && !(on_host && w.config.version >= 12020));
}

memory_kind kind_of(const memory_pool& from) {
    if (from.type == pool_type::managed)
        return memory_kind::managed;
    return from.where.type == location_type::device ? memory_kind::device : memory_kind::pinned;
}

void check_room(const world& w, const memory_pool& from, std::size_t bytes) {
    const bool on_device = kind_of(from) == memory_kind::device;
    const auto limit = on_device ? w.config.device_memory : w.config.managed_limit;
    const auto used = on_device ? w.memory.device_bytes(from.where.id) : w.managed_bytes;
    refuse_if(on_device || (kind_of(from) == memory_kind::managed && limit != 0)
                  ? bytes > limit || used > limit - bytes
                  : false,
              result::out_of_memory);
    refuse_if(from.max_bytes != 0 && (bytes > from.max_bytes || from.used > from.max_bytes - bytes),
              result::out_of_memory);
}

device_ptr allocate(world& w, const context& by, const std::shared_ptr<memory_pool>& from,
                    std::size_t bytes) {
    check_room(w, *from, bytes);
    auto made = std::make_shared<block>(kind_of(*from), bytes,
                                        std::max<std::size_t>(64 << 10, w.config.page_size));
    made->id = w.next_number++;
    made->device = from->where.type == location_type::device ? from->where.id : by.device;
    made->pool = from;
    if (made->kind == memory_kind::managed)
        w.managed_bytes += bytes;
    from->used += bytes;
    from->used_high = std::max(from->used_high, from->used);
    from->reserved_high = from->used_high;
    const device_ptr address = made->address;
    w.memory.add(std::move(made));
    return address;
}

result allocate_in_stream(entry call, device_ptr* out, std::size_t bytes, handle pool,
                          handle given) {
    return call.range(0, bytes).on(given).in_context([&](locked& w, context& current) {
        refuse_if(out == nullptr || bytes == 0);
        stream& on = working_stream(*w, current, given);
        refuse_if(on.capturing != nullptr, result::not_supported); // a graph's own allocations
        const auto from = share_pool(*w, pool != 0 ? pool : current_pool(*w, on.owner->device));
        *out = allocate(*w, current, from, bytes);
        return result::success;
    });
}

// The address is gone at once; the pages, and what other streams still do there, are looked at in
// order.
void free_in_stream(world& w, stream& on, device_ptr base) {
    const block_ref gone = w.memory.remove(base);
    if (gone->kind == memory_kind::managed) {
        w.managed_bytes -= gone->bytes;
        w.pages.forget(page_span::touching(gone->address, gone->bytes, w.config.page_size));
    }
    if (gone->pool != nullptr)
        gone->pool->used -= gone->bytes;
    submit(w, on,
           {.uses = {},
            .run = {},
            .settle =
                [gone](world& in) {
                    if (gone->pending != 0)
                        report_use_after_free(in, *gone);
                },
            .after = {}});
}

std::uint64_t large_value(const memory_pool& of, pool_attribute asked) {
    switch (asked) {
    case pool_attribute::release_threshold: return of.release_threshold;
    case pool_attribute::reserved_current:
    case pool_attribute::used_current: return of.used;
    case pool_attribute::reserved_high: return of.reserved_high;
    case pool_attribute::used_high: return of.used_high;
    default: refuse(result::invalid_value);
    }
}

bool is_switch(int asked) {
    return asked >= static_cast<int>(pool_attribute::reuse_first) &&
           asked <= static_cast<int>(pool_attribute::reuse_last);
}

void set_large(memory_pool& of, pool_attribute asked, std::uint64_t value) {
    if (asked == pool_attribute::release_threshold) {
        of.release_threshold = value;
        return;
    }
    // High marks can only be put back.
    refuse_if(value != 0 ||
              (asked != pool_attribute::reserved_high && asked != pool_attribute::used_high));
    (asked == pool_attribute::used_high ? of.used_high : of.reserved_high) = of.used;
}

std::uint64_t access_key(location where) {
    return static_cast<std::uint64_t>(where.type) << 32 | static_cast<std::uint32_t>(where.id);
}

result tell_pool(entry call, handle* out, int device, handle (*which)(world&, int)) {
    return call.initialised([&](locked& w) {
        refuse_if(out == nullptr);
        *out = which(*w, device);
        return result::success;
    });
}

result tell_pool_at(entry call, handle* out, location* where, int type) {
    return call.initialised([&](locked& w) {
        refuse_if(out == nullptr || where == nullptr);
        *out = default_pool_at(*w, *where, type);
        return result::success;
    });
}

} // namespace
} // namespace sim

using namespace sim;

SIM_EXPORT result cuMemPoolCreate(handle* out, const pool_properties* given) {
    return entry("cuMemPoolCreate").initialised([&](locked& w) {
        refuse_if(out == nullptr || given == nullptr);
        check_properties(*w, *given);
        *out = add_pool(*w, given->type, given->where, true);
        w->pools[*out]->max_bytes = given->max_size;
        return result::success;
    });
}

SIM_EXPORT result cuMemPoolDestroy(handle id) {
    return entry("cuMemPoolDestroy").initialised([&](locked& w) {
        refuse_if(!share_pool(*w, id)->owned_by_client);
        std::erase_if(w->current_pools, [id](const auto& chosen) { return chosen.second == id; });
        w->pools.erase(id);
        return result::success;
    });
}

SIM_EXPORT result cuMemAllocFromPoolAsync(device_ptr* out, std::size_t bytes, handle pool,
                                          handle given) {
    if (pool == 0)
        return entry("cuMemAllocFromPoolAsync").initialised([](locked&) {
            return result::invalid_value;
        });
    return allocate_in_stream(entry("cuMemAllocFromPoolAsync"), out, bytes, pool, given);
}
SIM_EXPORT result cuMemAllocAsync(device_ptr* out, std::size_t bytes, handle given) {
    return allocate_in_stream(entry("cuMemAllocAsync"), out, bytes, 0, given);
}

SIM_EXPORT result cuMemFreeAsync(device_ptr base, handle given) {
    return entry("cuMemFreeAsync")
        .range(base, 0)
        .on(given)
        .in_context([&](locked& w, context& current) {
            stream& on = working_stream(*w, current, given);
            const block* held = w->memory.find(base);
            refuse_if(held == nullptr || held->address != base);
            refuse_if(held->kind == memory_kind::managed && held->pool == nullptr,
                      result::not_supported);
            refuse_if(held->kind != memory_kind::device && held->pool == nullptr);
            refuse_if(on.capturing != nullptr, result::not_supported);
            free_in_stream(*w, on, base);
            return result::success;
        });
}

SIM_EXPORT result cuMemPoolGetAttribute(handle id, int asked, void* out) {
    return entry("cuMemPoolGetAttribute").initialised([&](locked& w) {
        refuse_if(out == nullptr);
        const auto of = share_pool(*w, id);
        if (is_switch(asked))
            *static_cast<int*>(out) = of->reuse[asked - 1];
        else
            *static_cast<std::uint64_t*>(out) =
                large_value(*of, static_cast<pool_attribute>(asked));
        return result::success;
    });
}

SIM_EXPORT result cuMemPoolSetAttribute(handle id, int asked, void* value) {
    return entry("cuMemPoolSetAttribute").initialised([&](locked& w) {
        refuse_if(value == nullptr);
        const auto of = share_pool(*w, id);
        if (is_switch(asked))
            of->reuse[asked - 1] = *static_cast<int*>(value) != 0 ? 1 : 0;
        else
            set_large(*of, static_cast<pool_attribute>(asked), *static_cast<std::uint64_t*>(value));
        return result::success;
    });
}

SIM_EXPORT result cuMemPoolTrimTo(handle id, std::size_t) {
    return entry("cuMemPoolTrimTo").initialised([&](locked& w) {
        share_pool(*w, id); // freed memory goes back to the system at once: nothing is left to trim
        return result::success;
    });
}

SIM_EXPORT result cuMemPoolSetAccess(handle id, const pool_access* list, std::size_t count) {
    return entry("cuMemPoolSetAccess").attributes(count).initialised([&](locked& w) {
        refuse_if(list == nullptr || count == 0);
        const auto of = share_pool(*w, id);
        for (std::size_t index = 0; index < count; ++index) {
            const auto& [where, flags] = list[index];
            refuse_if(where.type == location_type::device && !w->device_exists(where.id),
                      result::invalid_device);
            refuse_if(flags != 0 && flags != 1 && flags != 3);
            of->access[access_key(where)] = flags;
        }
        return result::success;
    });
}

SIM_EXPORT result cuMemPoolGetAccess(int* flags, handle id, location* where) {
    return entry("cuMemPoolGetAccess").initialised([&](locked& w) {
        refuse_if(flags == nullptr || where == nullptr);
        const auto of = share_pool(*w, id);
        const auto found = of->access.find(access_key(*where));
        const int by_nature = of->type == pool_type::managed || *where == of->where ? 3 : 0;
        *flags = found != of->access.end() ? found->second : by_nature;
        return result::success;
    });
}

SIM_EXPORT result cuDeviceGetDefaultMemPool(handle* out, int device) {
    return tell_pool(entry("cuDeviceGetDefaultMemPool"), out, device, default_pool);
}
SIM_EXPORT result cuDeviceGetMemPool(handle* out, int device) {
    return tell_pool(entry("cuDeviceGetMemPool"), out, device, current_pool);
}
SIM_EXPORT result cuDeviceSetMemPool(int device, handle id) {
    return entry("cuDeviceSetMemPool").initialised([&](locked& w) {
        refuse_if(!w->device_exists(device), result::invalid_device);
        share_pool(*w, id);
        w->current_pools[device] = id;
        return result::success;
    });
}

SIM_EXPORT result cuMemGetDefaultMemPool(handle* out, location* where, int type) {
    return tell_pool_at(entry("cuMemGetDefaultMemPool"), out, where, type);
}
SIM_EXPORT result cuMemGetMemPool(handle* out, location* where, int type) {
    return tell_pool_at(entry("cuMemGetMemPool"), out, where, type);
}

static const export_list pool_exports{
    row<cuMemPoolCreate>("cuMemPoolCreate", 11020),
    row<cuMemPoolDestroy>("cuMemPoolDestroy", 11020),
    stream_row<cuMemAllocFromPoolAsync>("cuMemAllocFromPoolAsync", 11020),
    stream_row<cuMemAllocAsync>("cuMemAllocAsync", 11020),
    stream_row<cuMemFreeAsync>("cuMemFreeAsync", 11020),
    row<cuMemPoolGetAttribute>("cuMemPoolGetAttribute", 11020),
    row<cuMemPoolSetAttribute>("cuMemPoolSetAttribute", 11020),
    row<cuMemPoolTrimTo>("cuMemPoolTrimTo", 11020),
    row<cuMemPoolSetAccess>("cuMemPoolSetAccess", 11020),
    row<cuMemPoolGetAccess>("cuMemPoolGetAccess", 11020),
    row<cuDeviceGetDefaultMemPool>("cuDeviceGetDefaultMemPool", 11020),
    row<cuDeviceGetMemPool>("cuDeviceGetMemPool", 11020),
    row<cuDeviceSetMemPool>("cuDeviceSetMemPool", 11020),
    row<cuMemGetDefaultMemPool>("cuMemGetDefaultMemPool", 13000),
    row<cuMemGetMemPool>("cuMemGetMemPool", 13000),
};
