// SPDX-License-Identifier: Apache-2.0
module;
#include <array>
#include <atomic>
#include <cmm/cmm.h>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module cmm.capi;

namespace cmm::capi {

namespace {

// The boundary's record of the calling thread, once there is one.
thread_local const boundary::error_record* last = nullptr;

} // namespace

cmm_status fail() noexcept {
    last = &boundary::current_error();
    return static_cast<cmm_status>(last->kind);
}

const boundary::error_record* last_error() noexcept { return last; }

void refuse_null(const char* operation, const char* argument) {
    throw invalid_argument({operation, argument}, "a null pointer was given");
}

void refuse_size(const char* operation, const char* argument, std::size_t given,
                 std::size_t needed) {
    throw invalid_argument(
        {operation, argument},
        fmt::format("its size is {}, and at least {} are needed; start from the struct's "
                    "CMM_..._INIT",
                    given, needed));
}

std::span<const target_code> as_targets(const cmm_target* targets, std::size_t count,
                                        const char* operation, const char* argument) {
    if (!targets && count != 0)
        refuse_null(operation, argument);
    return {reinterpret_cast<const target_code*>(targets), count};
}

places as_places(const cmm_location* where, std::size_t count, const char* operation) {
    const bool one = count == CMM_FOR_ALL;
    if (!where && count != 0)
        refuse_null(operation, "locations");
    return {{reinterpret_cast<const location_code*>(where), one ? 1 : count}, !one};
}

boundary::options_code as_options(const cmm_options* o, const char* operation) {
    if (!o)
        return {};
    cmm_options known = CMM_OPTIONS_INIT;
    read_struct(*o, known, operation, "options");
    return {known.strategy, known.hints};
}

copy_choice as_copies(const cmm_copy_options* copy, std::size_t count) {
    thread_local std::vector<boundary::copy_options_code> codes;
    codes.clear();
    if (!copy && count != 0 && count != CMM_FOR_ALL)
        refuse_null("copy_batch", "options");
    if (!copy)
        return {{}, false};
    const bool one = count == CMM_FOR_ALL;
    const auto stride = one || count != 0 ? copy->size : 0;
    if (stride % alignof(cmm_copy_options) != 0)
        refuse_size("copy_batch", "options", stride, sizeof(cmm_copy_options));
    const auto* at = reinterpret_cast<const unsigned char*>(copy);
    for (std::size_t i = 0; i < (one ? 1 : count); ++i, at += stride) {
        const auto& given = *reinterpret_cast<const cmm_copy_options*>(at);
        if (given.size != stride)
            refuse_size("copy_batch", "options", given.size, stride);
        cmm_copy_options known = CMM_COPY_OPTIONS_INIT;
        read_struct(given, known, "copy_batch", "options");
        codes.push_back({known.src_access_order, as_code(known.src_location_hint),
                         as_code(known.dst_location_hint), known.overlap_mode});
    }
    return {codes, !one};
}

void require_report(const cmm_report* out, const char* operation) {
    if (out)
        require_struct(*out, operation, "report");
}

void write_report(cmm_report* out, const report& r) noexcept {
    if (!out)
        return;
    const auto text = [](std::string_view s) {
        return s.empty() ? "" : s.data();
    }; // literals, so they end in 0
    write_struct(*out, {0, r.ranges_in, r.ranges_out, r.calls, r.bytes, r.ignored,
                        static_cast<std::int32_t>(r.strategy), text(r.entry), text(r.reason)});
}

const char* keep(text_place place, std::string text) {
    thread_local std::array<std::string, 4> kept;
    auto& slot = kept[static_cast<std::size_t>(place)];
    slot = std::move(text);
    return slot.c_str();
}

} // namespace cmm::capi
