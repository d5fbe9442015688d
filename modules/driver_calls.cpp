// SPDX-License-Identifier: Apache-2.0
// One lowering function per operation on memory: each picks the row of the table that this driver has.
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
import cmm.plan;

namespace cmm::driver {

namespace {

constexpr result no_driver = result::not_initialized;

abi::mem_location native(const location& l) noexcept {
    return {static_cast<int>(l.kind()), l.is_device() || l.kind() == location_kind::host_numa ? l.id() : 0};
}

int ordinal(const location& l) noexcept { return l.is_device() ? l.id() : abi::ordinal_cpu; }

result as_result(abi::error_code c) noexcept { return static_cast<result>(c); }

abi::device_ptr address(std::uintptr_t a) noexcept { return a; }

// The arrays of a batch call, laid out in scratch that the thread keeps.
struct batch_arrays {
    std::vector<abi::device_ptr> first, second;
    std::vector<std::size_t> bytes, indices;
    std::vector<abi::mem_location> locations;
    std::vector<abi::memcpy_attributes> attributes;

    void clear() noexcept {
        first.clear(), second.clear(), bytes.clear(), indices.clear();
        locations.clear(), attributes.clear();
    }
};

batch_arrays& scratch() {
    thread_local batch_arrays arrays;
    arrays.clear();
    return arrays;
}

void lay_out(batch_arrays& a, std::span<const plan::run> runs, bool with_locations) {
    const location* last = nullptr;
    for (const auto& r : runs) {
        a.first.push_back(address(r.address));
        a.bytes.push_back(r.bytes);
        if (with_locations && (!last || *last != r.where)) {
            a.indices.push_back(a.first.size() - 1);
            a.locations.push_back(native(r.where));
            last = &r.where;
        }
    }
}

using location_batch = entry<code(device_ptr*, count*, count, mem_location*, count*, count,
                                  unsigned long long, stream)>;

result move_batch(const location_batch& call, std::span<const plan::run> runs, stream_handle s) noexcept {
    auto& a = scratch();
    lay_out(a, runs, true);
    return as_result(call(a.first.data(), a.bytes.data(), runs.size(), a.locations.data(),
                          a.indices.data(), a.locations.size(), 0, s));
}

abi::memcpy_attributes native(const copy_options& o) noexcept {
    const auto hint = [](const std::optional<location>& l) {
        return l ? native(*l) : abi::mem_location{0, 0};
    };
    return {static_cast<int>(o.src_access_order), hint(o.src_location_hint), hint(o.dst_location_hint),
            static_cast<unsigned>(o.overlap_mode)};
}

void lay_out(batch_arrays& a, std::span<const plan::copy_run> runs, std::span<const copy_options> options) {
    const copy_options* last = nullptr;
    for (const auto& r : runs) {
        a.first.push_back(address(r.dst));
        a.second.push_back(address(r.src));
        a.bytes.push_back(r.bytes);
        if (const auto& o = options[r.options]; !last || *last != o) {
            a.indices.push_back(a.first.size() - 1);
            a.attributes.push_back(native(o));
            last = &o;
        }
    }
}

} // namespace

result allocate_managed(std::size_t bytes, attach a, std::uintptr_t& out) noexcept {
    const state* s = live_quietly();
    abi::device_ptr p = 0;
    const auto r = s ? as_result(s->calls.alloc_managed(&p, bytes, static_cast<unsigned>(a))) : no_driver;
    out = p;
    return r;
}

result allocate_device(std::size_t bytes, std::uintptr_t& out) noexcept {
    const state* s = live_quietly();
    abi::device_ptr p = 0;
    const auto r = s ? as_result(s->calls.alloc_device(&p, bytes)) : no_driver;
    out = p;
    return r;
}

result allocate_pinned(std::size_t bytes, std::uintptr_t& out) noexcept {
    const state* s = live_quietly();
    void* p = nullptr;
    const auto r = s ? as_result(s->calls.alloc_host(&p, bytes, 0)) : no_driver;
    out = reinterpret_cast<std::uintptr_t>(p);
    return r;
}

result free_memory(std::uintptr_t a) noexcept {
    const state* s = live_quietly();
    return s ? as_result(s->calls.free_memory(a)) : no_driver;
}

result free_pinned(std::uintptr_t a) noexcept {
    const state* s = live_quietly();
    return s ? as_result(s->calls.free_host(reinterpret_cast<void*>(a))) : no_driver;
}

result memory_info(std::size_t& free_bytes, std::size_t& total_bytes) noexcept {
    const state* s = live_quietly();
    return s ? as_result(s->calls.memory_info(&free_bytes, &total_bytes)) : no_driver;
}

result advise(const range& r, advice a, const location& where) noexcept {
    const state* s = live_quietly();
    if (!s)
        return no_driver;
    if (s->calls.advise_12020) [[likely]]
        return as_result(
            s->calls.advise_12020(r.begin(), r.bytes(), static_cast<int>(a), native(where)));
    if (where.is_numa())
        return result::not_supported;
    return as_result(s->calls.advise_8000(r.begin(), r.bytes(), static_cast<int>(a), ordinal(where)));
}

result prefetch(const range& r, const location& where, stream_handle st) noexcept {
    const state* s = live_quietly();
    if (!s)
        return no_driver;
    if (s->calls.prefetch_12020) [[likely]]
        return as_result(s->calls.prefetch_12020(r.begin(), r.bytes(), native(where), 0, st));
    if (where.is_numa())
        return result::not_supported;
    return as_result(s->calls.prefetch_8000(r.begin(), r.bytes(), ordinal(where), st));
}

result prefetch_batch(std::span<const plan::run> runs, stream_handle st) noexcept {
    const state* s = live_quietly();
    return s ? move_batch(s->calls.prefetch_batch, runs, st) : no_driver;
}

result discard_prefetch_batch(std::span<const plan::run> runs, stream_handle st) noexcept {
    const state* s = live_quietly();
    return s ? move_batch(s->calls.discard_prefetch_batch, runs, st) : no_driver;
}

result discard_batch(std::span<const plan::run> runs, stream_handle st) noexcept {
    const state* s = live_quietly();
    if (!s)
        return no_driver;
    auto& a = scratch();
    lay_out(a, runs, false);
    return as_result(s->calls.discard_batch(a.first.data(), a.bytes.data(), runs.size(), 0, st));
}

result copy(std::uintptr_t dst, std::uintptr_t src, std::size_t bytes, stream_handle st) noexcept {
    const state* s = live_quietly();
    return s ? as_result(s->calls.copy(dst, src, bytes, st)) : no_driver;
}

result copy_batch(std::span<const plan::copy_run> runs, std::span<const copy_options> options,
                  stream_handle st, std::size_t& failed) noexcept {
    failed = runs.size();
    const state* s = live_quietly();
    if (!s)
        return no_driver;
    auto& a = scratch();
    lay_out(a, runs, options);
    if (s->calls.copy_batch_13000) [[likely]]
        return as_result(s->calls.copy_batch_13000(a.first.data(), a.second.data(), a.bytes.data(),
                                                   runs.size(), a.attributes.data(), a.indices.data(),
                                                   a.attributes.size(), st));
    std::size_t index = runs.size(); // the driver leaves it alone, or sets SIZE_MAX, where it knows none
    const auto r = as_result(s->calls.copy_batch_12080(a.first.data(), a.second.data(), a.bytes.data(),
                                                       runs.size(), a.attributes.data(),
                                                       a.indices.data(), a.attributes.size(), &index, st));
    failed = index < runs.size() ? index : runs.size();
    return r;
}

std::string_view advise_entry() noexcept {
    const state* s = live_quietly();
    return s && s->calls.advise_12020 ? "cuMemAdvise@12020" : "cuMemAdvise@8000";
}

std::string_view prefetch_entry() noexcept {
    const state* s = live_quietly();
    return s && s->calls.prefetch_12020 ? "cuMemPrefetchAsync@12020" : "cuMemPrefetchAsync@8000";
}

std::string_view copy_batch_entry() noexcept {
    const state* s = live_quietly();
    return s && s->calls.copy_batch_13000 ? "cuMemcpyBatchAsync@13000" : "cuMemcpyBatchAsync@12080";
}

} // namespace cmm::driver
