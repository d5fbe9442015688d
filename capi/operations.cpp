// SPDX-License-Identifier: Apache-2.0
// Operations on one target or many.
#include <cmm/cmm.h>
#include <cstddef>
#include <cstdint>
import cmm.capi;

using namespace cmm;
using namespace cmm::capi;

namespace {

// Runs an operation with its options, and reports.
template <class Body>
cmm_status reported(const char* operation, const cmm_options* options, cmm_report* report,
                    Body body) noexcept {
    return guarded([&] {
        require_report(report, operation);
        write_report(report, body(as_options(options, operation)));
    });
}

} // namespace

cmm_status cmm_advise(const cmm_target* targets, size_t count, int32_t advice,
                      const cmm_location* where, size_t where_count, const cmm_options* options,
                      cmm_report* report) noexcept {
    return reported("advise", options, report, [&](boundary::options_code o) {
        const auto places =
            where ? as_places(where, where_count, "advise") : capi::places{{}, false};
        return boundary::advise(as_targets(targets, count, "advise", "targets"), advice,
                                places.codes, places.paired, o);
    });
}

cmm_status cmm_prefetch(const cmm_target* targets, size_t count, const cmm_location* where,
                        size_t where_count, cmm_stream_ref s, const cmm_options* options,
                        cmm_report* report) noexcept {
    return reported("prefetch", options, report, [&](boundary::options_code o) {
        const auto places = as_places(where, where_count, "prefetch");
        return boundary::prefetch(as_targets(targets, count, "prefetch", "targets"), places.codes,
                                  places.paired, as_code(s), o);
    });
}

cmm_status cmm_discard(const cmm_target* targets, size_t count, cmm_stream_ref s,
                       const cmm_options* options, cmm_report* report) noexcept {
    return reported("discard", options, report, [&](boundary::options_code o) {
        return boundary::discard(as_targets(targets, count, "discard", "targets"), as_code(s), o);
    });
}

cmm_status cmm_discard_prefetch(const cmm_target* targets, size_t count, const cmm_location* where,
                                size_t where_count, cmm_stream_ref s, const cmm_options* options,
                                cmm_report* report) noexcept {
    return reported("discard_prefetch", options, report, [&](boundary::options_code o) {
        const auto places = as_places(where, where_count, "discard_prefetch");
        return boundary::discard_prefetch(as_targets(targets, count, "discard_prefetch", "targets"),
                                          places.codes, places.paired, as_code(s), o);
    });
}

cmm_status cmm_copy_batch(cmm_stream_ref s, const cmm_target* srcs, size_t src_count,
                          const cmm_target* dsts, size_t dst_count, const cmm_copy_options* copy,
                          size_t copy_count, const cmm_options* options,
                          cmm_report* report) noexcept {
    return reported("copy_batch", options, report, [&](boundary::options_code o) {
        const auto choice = as_copies(copy, copy_count);
        return boundary::copy_batch(as_code(s), as_targets(srcs, src_count, "copy_batch", "srcs"),
                                    as_targets(dsts, dst_count, "copy_batch", "dsts"), choice.codes,
                                    choice.per_copy, o);
    });
}
