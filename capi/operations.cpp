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

// One target with the default options is the common case, and needs no lists: only the objects are
// held.
bool is_plain(const cmm_target* targets, size_t count, size_t where_count,
              const cmm_options* options) noexcept {
    return count == 1 && targets && where_count == CMM_FOR_ALL && !options;
}

template <class Body> report with_one(const cmm_target& t, const char* operation, Body body) {
    if (t.buffer.id == 0)
        return body(target(t.address, t.bytes));
    const boundary::held<managed_buffer> b(t.buffer.id, boundary::object_kind::buffer,
                                           {operation, "targets", 0});
    return body(target(*b));
}

template <class Body> report with_stream(cmm_stream_ref s, const char* operation, Body body) {
    if (s.own.id == 0)
        return body(stream_ref::from_handle(reinterpret_cast<std::uintptr_t>(s.raw)));
    const boundary::held<stream> own(s.own.id, boundary::object_kind::stream,
                                     {operation, "stream"});
    return body(stream_ref(*own));
}

} // namespace

cmm_status cmm_advise(const cmm_target* targets, size_t count, int32_t advice,
                      const cmm_location* where, size_t where_count, const cmm_options* options,
                      cmm_report* report) noexcept {
    return reported("advise", options, report, [&](boundary::options_code o) {
        if (is_plain(targets, count, where ? where_count : CMM_FOR_ALL, options))
            return with_one(*targets, "advise", [&](const target& t) {
                const location l =
                    where ? boundary::as_location(capi::as_code(*where), {"advise", "locations"})
                          : location(host{});
                return cmm::advise(t, static_cast<cmm::advice>(advice), l);
            });
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
        if (where && is_plain(targets, count, where_count, options))
            return with_one(*targets, "prefetch", [&](const target& t) {
                const location l =
                    boundary::as_location(capi::as_code(*where), {"prefetch", "locations"});
                return with_stream(s, "prefetch",
                                   [&](stream_ref on) { return prefetch(t, l, on); });
            });
        const auto places = as_places(where, where_count, "prefetch");
        return boundary::prefetch(as_targets(targets, count, "prefetch", "targets"), places.codes,
                                  places.paired, as_code(s), o);
    });
}

cmm_status cmm_discard(const cmm_target* targets, size_t count, cmm_stream_ref s,
                       const cmm_options* options, cmm_report* report) noexcept {
    return reported("discard", options, report, [&](boundary::options_code o) {
        if (is_plain(targets, count, CMM_FOR_ALL, options))
            return with_one(*targets, "discard", [&](const target& t) {
                return with_stream(s, "discard", [&](stream_ref on) { return discard(t, on); });
            });
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
