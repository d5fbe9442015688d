// SPDX-License-Identifier: Apache-2.0
// Lowering of questions: what an address is, and what advice a range has.
module;
#include "driver_abi.h"
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>
module cmm.driver;
import :table;
import :state;

namespace cmm::driver {

namespace {

result as_result(abi::error_code c) noexcept { return static_cast<result>(c); }

result read_int(const state& s, const range& r, int attribute, int& out) noexcept {
    return as_result(s.calls.range_attribute(&out, sizeof out, attribute, r.begin(), r.bytes()));
}

// The ordinal form of a location, as every driver answers it.
std::optional<location> from_ordinal(int ordinal) noexcept {
    if (ordinal >= 0)
        return location(device{ordinal});
    if (ordinal == abi::ordinal_cpu)
        return location(host{});
    return std::nullopt;
}

std::optional<location> from_type_and_id(int type, int id) noexcept {
    switch (static_cast<location_kind>(type)) {
    case location_kind::device: return id >= 0 ? std::optional<location>(device{id}) : std::nullopt;
    case location_kind::host: return location(host{});
    case location_kind::host_numa: return id >= 0 ? std::optional<location>(host::numa(id)) : std::nullopt;
    case location_kind::host_numa_current: return location(host::numa_current());
    }
    return std::nullopt;
}

// Type and id in one query where the driver knows them. Some drivers of 12.x answer INVALID_VALUE to the
// typed attributes: the ordinal is asked then.
result read_location(const range& r, int typed, int identified, int by_ordinal,
                     std::optional<location>& out) noexcept {
    const state* s = live_quietly();
    if (!s)
        return result::not_initialized;
    if (s->can.locations) [[likely]] {
        int type = 0;
        int id = 0;
        void* values[] = {&type, &id};
        std::size_t sizes[] = {sizeof type, sizeof id};
        int attributes[] = {typed, identified};
        if (s->calls.range_attributes(values, sizes, attributes, 2, r.begin(), r.bytes()) == abi::success) {
            out = from_type_and_id(type, id);
            return result::success;
        }
    }
    int ordinal = abi::ordinal_invalid;
    const auto answer = read_int(*s, r, by_ordinal, ordinal);
    if (ok(answer))
        out = from_ordinal(ordinal);
    return answer;
}

memory_kind kind_of(int type, unsigned managed, const void* pool) noexcept {
    if (managed)
        return pool ? memory_kind::managed_pool : memory_kind::managed;
    return type == abi::memory_type_host ? memory_kind::pinned : memory_kind::device;
}

} // namespace

result pointer(std::uintptr_t a, pointer_facts& out) noexcept {
    const state* s = live_quietly();
    if (!s)
        return result::not_initialized;
    unsigned managed = 0;
    int type = 0;
    int device = -1;
    abi::device_ptr start = 0;
    std::size_t bytes = 0;
    void* pool = nullptr;
    int attributes[] = {abi::pointer_is_managed,     abi::pointer_memory_type, abi::pointer_device_ordinal,
                        abi::pointer_range_start, abi::pointer_range_size,  abi::pointer_mempool_handle};
    void* values[] = {&managed, &type, &device, &start, &bytes, &pool};
    // This form answers success with zeros for memory that the driver does not know.
    const auto r = as_result(s->calls.pointer_attributes(6, attributes, values, a));
    if (r == result::invalid_value || (ok(r) && type == 0)) {
        out = {memory_kind::pageable, {}, -1};
        return result::success;
    }
    if (ok(r))
        out = {kind_of(type, managed, pool), {start, bytes}, device};
    return r;
}

result read_mostly(const range& r, bool& out) noexcept {
    const state* s = live_quietly();
    if (!s)
        return result::not_initialized;
    int value = 0;
    const auto answer = read_int(*s, r, abi::range_read_mostly, value);
    out = value == 1;
    return answer;
}

result preferred_location(const range& r, std::optional<location>& out) noexcept {
    return read_location(r, abi::range_preferred_location_type, abi::range_preferred_location_id,
                         abi::range_preferred_location, out);
}

result last_prefetch_location(const range& r, std::optional<location>& out) noexcept {
    return read_location(r, abi::range_last_prefetch_location_type, abi::range_last_prefetch_location_id,
                         abi::range_last_prefetch_location, out);
}

result accessed_by(const range& r, std::span<int> out) noexcept {
    const state* s = live_quietly();
    if (!s)
        return result::not_initialized;
    return as_result(s->calls.range_attribute(out.data(), out.size_bytes(), abi::range_accessed_by,
                                              r.begin(), r.bytes()));
}

} // namespace cmm::driver
