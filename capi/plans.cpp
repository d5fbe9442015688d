// SPDX-License-Identifier: Apache-2.0
// Plans.
#include <cmm/cmm.h>
#include <cstddef>
#include <cstdint>
import cmm.capi;

using namespace cmm;
using namespace cmm::capi;
using boundary::object_kind;

namespace {

template <class Body>
cmm_status planned(const char* operation, const cmm_options* options, cmm_plan* out,
                   Body body) noexcept {
    return guarded([&] {
        auto& p = wanted(out, operation);
        p.id = body(as_options(options, operation));
    });
}

} // namespace

cmm_status cmm_plan_prefetch(const cmm_target* targets, size_t count, const cmm_location* where,
                             size_t where_count, const cmm_options* options,
                             cmm_plan* out) noexcept {
    return planned("prefetch", options, out, [&](boundary::options_code o) {
        const auto places = as_places(where, where_count, "prefetch");
        return boundary::plan_prefetch(as_targets(targets, count, "prefetch", "targets"),
                                       places.codes, places.paired, o);
    });
}

cmm_status cmm_plan_discard_prefetch(const cmm_target* targets, size_t count,
                                     const cmm_location* where, size_t where_count,
                                     const cmm_options* options, cmm_plan* out) noexcept {
    return planned("discard_prefetch", options, out, [&](boundary::options_code o) {
        const auto places = as_places(where, where_count, "discard_prefetch");
        return boundary::plan_discard_prefetch(
            as_targets(targets, count, "discard_prefetch", "targets"), places.codes, places.paired,
            o);
    });
}

cmm_status cmm_plan_advise(const cmm_target* targets, size_t count, int32_t advice,
                           const cmm_location* where, size_t where_count,
                           const cmm_options* options, cmm_plan* out) noexcept {
    return planned("advise", options, out, [&](boundary::options_code o) {
        const auto places =
            where ? as_places(where, where_count, "advise") : capi::places{{}, false};
        return boundary::plan_advise(as_targets(targets, count, "advise", "targets"), advice,
                                     places.codes, places.paired, o);
    });
}

cmm_status cmm_plan_copy(const cmm_target* srcs, size_t src_count, const cmm_target* dsts,
                         size_t dst_count, const cmm_copy_options* copy, size_t copy_count,
                         const cmm_options* options, cmm_plan* out) noexcept {
    return planned("copy_batch", options, out, [&](boundary::options_code o) {
        const auto choice = as_copies(copy, copy_count);
        return boundary::plan_copy(as_targets(srcs, src_count, "copy_batch", "srcs"),
                                   as_targets(dsts, dst_count, "copy_batch", "dsts"), choice.codes,
                                   choice.per_copy, o);
    });
}

cmm_status cmm_plan_run(cmm_plan p, cmm_stream_ref s, cmm_report* report) noexcept {
    return guarded([&] {
        require_report(report, "run");
        write_report(report, boundary::plan_run(p.id, as_code(s)));
    });
}

cmm_status cmm_plan_describe(cmm_plan p, const char** out) noexcept {
    return guarded(
        [&] { wanted(out, "describe") = keep(text_place::plan, boundary::plan_describe(p.id)); });
}

cmm_status cmm_plan_ranges(cmm_plan p, uint64_t* in, uint64_t* out) noexcept {
    return guarded([&] {
        const auto given = boundary::plan_ranges_in(p.id);
        const auto left = boundary::plan_ranges_out(p.id);
        if (in)
            *in = given;
        if (out)
            *out = left;
    });
}

void cmm_plan_close(cmm_plan p) noexcept {
    if (cmm_plan_is_open(p))
        boundary::close(p.id);
}

bool cmm_plan_is_open(cmm_plan p) noexcept { return boundary::kind_of(p.id) == object_kind::plan; }
