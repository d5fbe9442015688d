// SPDX-License-Identifier: Apache-2.0
// Copies: many buffers at once, in stream order.
#ifndef CMM_CPP_COPY_HPP
#define CMM_CPP_COPY_HPP

#include <cmm/cmm.h>
#include <cmm/cpp/ops.hpp>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

namespace cmm {
inline namespace over_c {

enum class src_access_order : std::int32_t { stream = 1, during_api_call = 2, any = 3 };
enum class overlap_mode : std::int32_t { standard = 0, prefer_overlap_with_compute = 1 };

struct copy_options {
    cmm::src_access_order src_access_order = cmm::src_access_order::stream;
    std::optional<location> src_location_hint = std::nullopt;
    std::optional<location> dst_location_hint = std::nullopt;
    cmm::overlap_mode overlap_mode = cmm::overlap_mode::standard;
};

// One copy_options for all copies, or one per copy.
class copy_options_list {
public:
    copy_options_list(const copy_options& one) : one_(as_c(one)), per_copy_(false) {}
    copy_options_list(std::initializer_list<copy_options> many) { take(many.begin(), many.size()); }
    template <class R,
              std::enable_if_t<std::is_same_v<detail::element_of<R>, copy_options>, int> = 0>
    copy_options_list(const R& many) {
        take(std::data(many), std::size(many));
    }

    std::size_t size() const noexcept { return per_copy_ ? many_.size() : 1; }
    bool per_copy() const noexcept { return per_copy_; }
    // Never null: null would mean the defaults.
    const cmm_copy_options* c_data() const noexcept { return many_.empty() ? &one_ : many_.data(); }
    std::size_t c_count() const noexcept { return per_copy_ ? many_.size() : CMM_FOR_ALL; }

private:
    static cmm_copy_options as_c(const copy_options& o) noexcept {
        return {sizeof(cmm_copy_options), static_cast<std::int32_t>(o.src_access_order),
                static_cast<std::int32_t>(o.overlap_mode), detail::as_c(o.src_location_hint),
                detail::as_c(o.dst_location_hint)};
    }
    void take(const copy_options* items, std::size_t count) {
        many_.reserve(count);
        for (std::size_t i = 0; i < count; ++i)
            many_.push_back(as_c(items[i]));
    }
    cmm_copy_options one_ = CMM_COPY_OPTIONS_INIT;
    std::vector<cmm_copy_options> many_;
    bool per_copy_ = true;
};

// Copies srcs[i] to dsts[i] for all i, in the order of the stream and in no order among themselves.
// What cmm.copy says of it holds.
inline report copy_batch(stream_ref s, const target_list& srcs, const target_list& dsts,
                         const copy_options_list& options = copy_options{},
                         const op_options& o = {}) {
    const auto c = detail::as_c(o);
    return detail::reported([&](cmm_report* r) {
        return cmm_copy_batch(s.c_value(), srcs.c_data(), srcs.size(), dsts.c_data(), dsts.size(),
                              options.c_data(), options.c_count(), &c, r);
    });
}
// One buffer is no batch: say copy_to or copy_from.
report copy_batch(stream_ref s, const buffer& src, const buffer& dst,
                  const copy_options_list& options = copy_options{},
                  const op_options& o = {}) = delete;

// One copy of a whole buffer, with the same rules.
inline report copy_to(const target& src, const target& dst, stream_ref s,
                      const copy_options& options = {}) {
    return copy_batch(s, target_list(src), target_list(dst), options);
}
inline report copy_from(const target& dst, const target& src, stream_ref s,
                        const copy_options& options = {}) {
    return copy_to(src, dst, s, options);
}

} // namespace over_c
} // namespace cmm

#endif
