// SPDX-License-Identifier: Apache-2.0
// Operations and plans over handles.
module;
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
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

op_options as_options(options_code o) {
    op_options out;
    if (o.strategy < 0 || o.strategy > 3)
        throw invalid_argument({"options", "strategy"},
                               fmt::format("{} is no strategy; allowed are 0 (automatic) to 3 (return_early)", o.strategy));
    if (o.hints < 0 || o.hints > 3)
        throw invalid_argument({"options", "hints"},
                               fmt::format("{} is no hint_policy; allowed are 0 (default) to 3 (ignore)", o.hints));
    out.strategy = static_cast<strategy>(o.strategy);
    if (o.hints)
        out.hints = static_cast<hint_policy>(o.hints);
    return out;
}

// Copy options as the core has them, in scratch of the thread.
std::span<const copy_options> as_copy_options(std::span<const copy_options_code> codes) {
    thread_local std::vector<copy_options> out;
    out.clear();
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const auto& c = codes[i];
        const auto hint = [&](const location_code& l) -> std::optional<location> {
            if (l.kind == 0)
                return std::nullopt;
            return as_location(l, {"copy_batch", "options", i});
        };
        out.push_back({static_cast<src_access_order>(c.src_access_order), hint(c.src_location_hint),
                       hint(c.dst_location_hint), static_cast<overlap_mode>(c.overlap_mode)});
    }
    return out;
}

copy_options_list option_list(std::span<const copy_options_code> codes, bool per_copy) {
    static const copy_options plain;
    const auto all = as_copy_options(codes);
    if (per_copy)
        return copy_options_list(all);
    return all.empty() ? copy_options_list(plain) : copy_options_list(all.front());
}

} // namespace

report advise(std::span<const target_code> targets, std::int32_t a, std::span<const location_code> where, bool paired,
              options_code o) {
    const held_targets held("advise", "targets", targets);
    const location_code anywhere{static_cast<std::int32_t>(location_kind::host), 0};
    const bool none = where.empty() && !paired;
    const held_locations locations("advise", none ? std::span(&anywhere, 1) : where, paired);
    return cmm::advise(held.list(), static_cast<advice_value>(a), locations.list(), as_options(o));
}

report prefetch(std::span<const target_code> targets, std::span<const location_code> where, bool paired, stream_code s,
                options_code o) {
    const held_targets held("prefetch", "targets", targets);
    const held_locations locations("prefetch", where, paired);
    const held_stream stream(s, "prefetch");
    return cmm::prefetch(held.list(), locations.list(), stream.ref(), as_options(o));
}

report discard(std::span<const target_code> targets, stream_code s, options_code o) {
    const held_targets held("discard", "targets", targets);
    const held_stream stream(s, "discard");
    return cmm::discard(held.list(), stream.ref(), as_options(o));
}

report discard_prefetch(std::span<const target_code> targets, std::span<const location_code> where, bool paired,
                        stream_code s, options_code o) {
    const held_targets held("discard_prefetch", "targets", targets);
    const held_locations locations("discard_prefetch", where, paired);
    const held_stream stream(s, "discard_prefetch");
    return cmm::discard_prefetch(held.list(), locations.list(), stream.ref(), as_options(o));
}

report copy_batch(stream_code s, std::span<const target_code> srcs, std::span<const target_code> dsts,
                  std::span<const copy_options_code> options, bool per_copy, options_code o) {
    const held_targets from("copy_batch", "srcs", srcs);
    const held_targets to("copy_batch", "dsts", dsts);
    const held_stream stream(s, "copy_batch");
    return cmm::copy_batch(stream.ref(), from.list(), to.list(), option_list(options, per_copy), as_options(o));
}

handle plan_prefetch(std::span<const target_code> targets, std::span<const location_code> where, bool paired,
                     options_code o) {
    const held_targets held("prefetch", "targets", targets);
    const held_locations locations("prefetch", where, paired);
    return insert(object_kind::plan, any_plan(prefetch_plan(held.list(), locations.list(), as_options(o))));
}

handle plan_discard_prefetch(std::span<const target_code> targets, std::span<const location_code> where, bool paired,
                             options_code o) {
    const held_targets held("discard_prefetch", "targets", targets);
    const held_locations locations("discard_prefetch", where, paired);
    return insert(object_kind::plan, any_plan(discard_prefetch_plan(held.list(), locations.list(), as_options(o))));
}

handle plan_advise(std::span<const target_code> targets, std::int32_t a, std::span<const location_code> where,
                   bool paired, options_code o) {
    const held_targets held("advise", "targets", targets);
    const location_code anywhere{static_cast<std::int32_t>(location_kind::host), 0};
    const bool none = where.empty() && !paired;
    const held_locations locations("advise", none ? std::span(&anywhere, 1) : where, paired);
    return insert(object_kind::plan,
                  any_plan(advise_plan(held.list(), static_cast<advice_value>(a), locations.list(), as_options(o))));
}

handle plan_copy(std::span<const target_code> srcs, std::span<const target_code> dsts,
                 std::span<const copy_options_code> options, bool per_copy, options_code o) {
    const held_targets from("copy_batch", "srcs", srcs);
    const held_targets to("copy_batch", "dsts", dsts);
    return insert(object_kind::plan,
                  any_plan(copy_plan(from.list(), to.list(), option_list(options, per_copy), as_options(o))));
}

report plan_run(handle p, stream_code s) {
    const held<any_plan> plan(p, object_kind::plan, {"run", "plan"});
    if (auto* advising = std::get_if<advise_plan>(&*plan))
        return advising->run();
    const held_stream stream(s, "run");
    if (auto* prefetching = std::get_if<prefetch_plan>(&*plan))
        return prefetching->run(stream.ref());
    if (auto* copying = std::get_if<copy_plan>(&*plan))
        return copying->run(stream.ref());
    return std::get<discard_prefetch_plan>(*plan).run(stream.ref());
}

namespace {

template <class Ask> auto ask_plan(handle p, Ask question) {
    const held<any_plan> plan(p, object_kind::plan, {"plan", "plan"});
    return std::visit([&](const plan_base& base) { return question(base); }, *plan);
}

} // namespace

std::string plan_describe(handle p) {
    return ask_plan(p, [](const plan_base& base) { return base.describe(); });
}
std::uint64_t plan_ranges_in(handle p) {
    return ask_plan(p, [](const plan_base& base) { return base.ranges_in(); });
}
std::uint64_t plan_ranges_out(handle p) {
    return ask_plan(p, [](const plan_base& base) { return base.ranges_out(); });
}

} // namespace cmm::boundary
