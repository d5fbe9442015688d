// SPDX-License-Identifier: Apache-2.0
// Every check of a copy, and the distinct options.
module;
#include <algorithm>
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>
module cmm.copy;
import cmm.context;
import cmm.driver;
import cmm.gather;
import cmm.plan;
import cmm.trace;

namespace cmm::detail {

std::uint32_t option_table::id_of(const copy_options& o) {
    if (!entries_.empty() && entries_.back() == o) [[likely]]
        return static_cast<std::uint32_t>(entries_.size() - 1);
    const auto known = std::ranges::find(entries_, o);
    if (known != entries_.end())
        return static_cast<std::uint32_t>(known - entries_.begin());
    entries_.push_back(o);
    return static_cast<std::uint32_t>(entries_.size() - 1);
}

namespace {

void require_lists(std::string_view operation, const target_list& srcs, const target_list& dsts,
                   const copy_options_list& options) {
    if (srcs.size() == 0)
        throw invalid_argument({operation, "srcs"}, "no sources were given; give at least one");
    if (dsts.size() != srcs.size())
        throw invalid_argument({operation, "dsts"},
                               fmt::format("{} destinations for {} sources; give one for each", dsts.size(),
                                           srcs.size()));
    if (options.per_copy() && options.size() != srcs.size())
        throw invalid_argument({operation, "options"},
                               fmt::format("{} options for {} copies; give one for all of them, or one for each",
                                           options.size(), srcs.size()));
}

void require_enums(const error_site& site, const copy_options& o) {
    const auto order = static_cast<std::int32_t>(o.src_access_order);
    if (order < 1 || order > 3)
        throw invalid_argument(site, fmt::format("{} is no src_access_order; allowed are 1 (stream), 2 "
                                                 "(during_api_call) and 3 (any)",
                                                 order));
    const auto mode = static_cast<std::int32_t>(o.overlap_mode);
    if (mode < 0 || mode > 1)
        throw invalid_argument(site, fmt::format("{} is no overlap_mode; allowed are 0 (default) and 1 "
                                                 "(prefer_overlap_with_compute)",
                                                 mode));
}

bool any_integrated() {
    return std::ranges::any_of(driver::get_facts().devices, &driver::device_facts::integrated);
}

// Hints that this machine cannot honour: overlap warns, locations are ignored, unless a policy was chosen.
// The text of the last one, for the trace.
std::string_view check_hints(const error_site& site, const copy_options& o, const op_options& op) {
    constexpr std::string_view overlap =
        "prefer_overlap_with_compute matters on integrated GPUs only, and none is here";
    constexpr std::string_view hints = "location hints need a driver of CUDA 12.8 or newer";
    const auto chosen = op.hints ? op.hints : default_hint_policy();
    std::string_view ignored;
    if (o.overlap_mode == overlap_mode::prefer_overlap_with_compute && !any_integrated()) {
        cannot_honour(chosen.value_or(hint_policy::warn), {site.operation, "options.overlap_mode", site.index},
                      overlap);
        ignored = overlap;
    }
    for (const auto* hint : {&o.src_location_hint, &o.dst_location_hint}) {
        if (!*hint)
            continue;
        if ((*hint)->is_device())
            require_device(site, (*hint)->id());
        if (driver::get_features().copy_batch)
            continue;
        cannot_honour(chosen.value_or(hint_policy::ignore), {site.operation, "options.location_hint", site.index},
                      hints);
        ignored = hints;
    }
    return ignored;
}

std::string_view check_options(std::string_view operation, const copy_options_list& options, const op_options& op) {
    std::string_view ignored;
    for (std::size_t i = 0; i < options.size(); ++i) {
        if (i > 0 && options[i] == options[i - 1])
            continue;
        error_site site{operation, "options"};
        if (options.per_copy())
            site.index = i;
        require_enums(site, options[i]);
        if (const auto hint = check_hints(site, options[i], op); !hint.empty())
            ignored = hint;
    }
    return ignored;
}

[[noreturn]] void refuse_sizes(std::string_view operation, std::size_t i, const target& src, const target& dst) {
    throw invalid_argument({operation, "dsts", i},
                           fmt::format("{} bytes at {:#x} cannot take the {} bytes of srcs[{}] at {:#x}; the "
                                       "sizes must match",
                                       dst.bytes(), dst.address(), src.bytes(), i, src.address()));
}

void require_open(std::string_view operation, const char* argument, std::size_t i, const target& t) {
    if (t.is_closed())
        throw closed({operation, argument, i}, "the buffer was closed");
}

} // namespace

copies_gathered gather_copies(std::string_view operation, const target_list& srcs, const target_list& dsts,
                              const copy_options_list& options, const op_options& op, plan::copy_planner& planner,
                              option_table& table) {
    require_lists(operation, srcs, dsts, options);
    copies_gathered g;
    g.ignored_hint = check_options(operation, options, op);
    planner.clear();
    table.clear();
    memory_lookup src_facts({operation, "srcs"});
    memory_lookup dst_facts({operation, "dsts"});
    auto id = table.id_of(options[0]);
    for (std::size_t i = 0; i < srcs.size(); ++i) {
        const target src = srcs[i];
        const target dst = dsts[i];
        require_open(operation, "srcs", i, src);
        require_open(operation, "dsts", i, dst);
        if (src.bytes() != dst.bytes())
            refuse_sizes(operation, i, src, dst);
        if (src.bytes() == 0)
            continue;
        const auto from = src_facts(src, i);
        const auto to = dst_facts(dst, i);
        if (options.per_copy())
            id = table.id_of(options[i]);
        if (g.count++ == 0) {
            g.address = dst.address();
            g.device_hint = to.device >= 0 ? to.device : from.device >= 0 ? from.device : 0;
        }
        g.bytes += src.bytes();
        g.pageable_source |= from.kind == memory_kind::pageable;
        planner.add({dst.address(), src.address(), src.bytes(), to.area, from.area, id,
                     static_cast<std::uint8_t>(to.kind), static_cast<std::uint8_t>(from.kind),
                     static_cast<std::uint32_t>(i)});
    }
    return g;
}

} // namespace cmm::detail
