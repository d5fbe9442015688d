// SPDX-License-Identifier: Apache-2.0
// The driver's words: results, advice, kinds of memory; and the errors made of them.
module;
#include "driver_abi.h"
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>
module cmm.driver;
import :table;
import :state;

namespace cmm {

std::string_view to_string(advice a) noexcept {
    switch (a) {
    case advice::set_read_mostly: return "set_read_mostly";
    case advice::unset_read_mostly: return "unset_read_mostly";
    case advice::set_preferred_location: return "set_preferred_location";
    case advice::unset_preferred_location: return "unset_preferred_location";
    case advice::set_accessed_by: return "set_accessed_by";
    case advice::unset_accessed_by: return "unset_accessed_by";
    }
    return "no advice";
}

std::string_view to_string(src_access_order o) noexcept {
    switch (o) {
    case src_access_order::stream: return "stream";
    case src_access_order::during_api_call: return "during_api_call";
    case src_access_order::any: return "any";
    }
    return "no order";
}

std::string_view to_string(overlap_mode m) noexcept {
    return m == overlap_mode::standard ? "default" : "prefer_overlap_with_compute";
}

std::string_view to_string(memory_kind k) noexcept {
    switch (k) {
    case memory_kind::unknown: return "unknown memory";
    case memory_kind::managed: return "managed memory";
    case memory_kind::managed_pool: return "managed memory of a driver's pool";
    case memory_kind::device: return "device memory";
    case memory_kind::pinned: return "pinned host memory";
    case memory_kind::pageable: return "pageable host memory";
    }
    return "unknown memory";
}

} // namespace cmm

namespace cmm::driver {

namespace {

std::string_view text_of(result r) noexcept {
    const char* text = nullptr;
    const state* s = current.load(std::memory_order_acquire);
    if (s && s->calls.error_string(static_cast<int>(r), &text) == abi::success && text)
        return text;
    return "unknown error";
}

std::string_view advice_for(result r) noexcept {
    switch (r) {
    case result::out_of_memory: return "; close buffers that are no longer needed, or allocate less";
    case result::deinitialized: return "; the driver is shutting down";
    case result::invalid_context: return "; the context was destroyed or reset";
    default: return "";
    }
}

} // namespace

std::string_view name_of(result r) noexcept {
    const char* name = nullptr;
    const state* s = current.load(std::memory_order_acquire);
    if (s && s->calls.error_name(static_cast<int>(r), &name) == abi::success && name)
        return name;
    return "unknown result";
}

void refuse(result r, const error_site& site, std::string_view entry, std::string_view call,
            std::size_t issued) {
    if (!current.load(std::memory_order_acquire))
        open_now(); // says why there is no driver
    const auto text = fmt::format("{} answered {} ({}): {}{}", call, name_of(r), static_cast<int>(r),
                                  text_of(r), advice_for(r));
    if (r == result::out_of_memory)
        throw out_of_memory(error_kind::out_of_memory, site, text, static_cast<int>(r), name_of(r), entry,
                            issued);
    throw driver_error(error_kind::driver, site, text, static_cast<int>(r), name_of(r), entry, issued);
}

} // namespace cmm::driver
