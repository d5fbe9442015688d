// SPDX-License-Identifier: Apache-2.0
// Operations on managed memory: say where ranges should live, and move them. What cmm.ops says of
// them holds.
#ifndef CMM_CPP_OPS_HPP
#define CMM_CPP_OPS_HPP

#include <cmm/cmm.h>
#include <cmm/cpp/driver.hpp>
#include <cmm/cpp/location.hpp>
#include <cmm/cpp/stream.hpp>
#include <cmm/cpp/target.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace cmm {
inline namespace over_c {

enum class advice : std::int32_t {
    set_read_mostly = 1,
    unset_read_mostly = 2,
    set_preferred_location = 3,
    unset_preferred_location = 4,
    set_accessed_by = 5,
    unset_accessed_by = 6,
};

enum class strategy : std::int32_t {
    automatic = 0,
    driver_batch = 1,
    per_range = 2,
    return_early = 3
};

inline std::string_view to_string(strategy s) noexcept {
    switch (s) {
    case strategy::automatic: return "automatic";
    case strategy::driver_batch: return "driver_batch";
    case strategy::per_range: return "per_range";
    case strategy::return_early: return "return_early";
    }
    return "no strategy";
}

struct op_options {
    cmm::strategy strategy = cmm::strategy::automatic;
    std::optional<hint_policy> hints = std::nullopt; // default: default_hint_policy()
};

// What an operation became.
struct report {
    std::size_t ranges_in = 0;
    std::size_t ranges_out = 0;
    std::size_t calls = 0;
    std::size_t bytes = 0;
    cmm::strategy strategy = cmm::strategy::per_range;
    std::string_view entry = {};
    std::string_view reason = {};
    std::size_t ignored = 0;
};

namespace detail {

inline cmm_options as_c(const op_options& o) noexcept {
    return {sizeof(cmm_options), static_cast<std::int32_t>(o.strategy),
            o.hints ? static_cast<std::int32_t>(*o.hints) : CMM_HINTS_DEFAULT};
}

// Calls with a report to fill.
template <class Call> report reported(Call call) {
    cmm_report r = CMM_REPORT_INIT;
    check(call(&r));
    return {static_cast<std::size_t>(r.ranges_in),
            static_cast<std::size_t>(r.ranges_out),
            static_cast<std::size_t>(r.calls),
            static_cast<std::size_t>(r.bytes),
            static_cast<strategy>(r.strategy),
            r.entry,
            r.reason,
            static_cast<std::size_t>(r.ignored)};
}

} // namespace detail

inline report advise(const target_list& targets, advice a, const location_list& where = host{},
                     const op_options& o = {}) {
    const auto options = detail::as_c(o);
    return detail::reported([&](cmm_report* r) {
        return cmm_advise(targets.c_data(), targets.size(), static_cast<std::int32_t>(a),
                          where.c_data(), where.c_count(), &options, r);
    });
}

inline report prefetch(const target_list& targets, const location_list& where, stream_ref s,
                       const op_options& o = {}) {
    const auto options = detail::as_c(o);
    return detail::reported([&](cmm_report* r) {
        return cmm_prefetch(targets.c_data(), targets.size(), where.c_data(), where.c_count(),
                            s.c_value(), &options, r);
    });
}

inline report discard(const target_list& targets, stream_ref s, const op_options& o = {}) {
    const auto options = detail::as_c(o);
    return detail::reported([&](cmm_report* r) {
        return cmm_discard(targets.c_data(), targets.size(), s.c_value(), &options, r);
    });
}

inline report discard_prefetch(const target_list& targets, const location_list& where, stream_ref s,
                               const op_options& o = {}) {
    const auto options = detail::as_c(o);
    return detail::reported([&](cmm_report* r) {
        return cmm_discard_prefetch(targets.c_data(), targets.size(), where.c_data(),
                                    where.c_count(), s.c_value(), &options, r);
    });
}

// -- what the driver knows of one range; it is asked each time
// ------------------------------------------------

inline bool read_mostly(const target& t) {
    bool out = false;
    detail::check(cmm_read_mostly(t.c_value(), &out));
    return out;
}
// Nothing where none is set, or where its pages differ.
inline std::optional<location> preferred_location(const target& t) {
    cmm_location out{};
    detail::check(cmm_preferred_location(t.c_value(), &out));
    return detail::as_location(out);
}
inline std::optional<location> last_prefetch_location(const target& t) {
    cmm_location out{};
    detail::check(cmm_last_prefetch_location(t.c_value(), &out));
    return detail::as_location(out);
}

// Sets of accessors as bits.
struct accessor_set {
    std::uint64_t devices = 0;
    bool host = false;
    friend constexpr bool operator==(const accessor_set& a, const accessor_set& b) noexcept {
        return a.devices == b.devices && a.host == b.host;
    }
    friend constexpr bool operator!=(const accessor_set& a, const accessor_set& b) noexcept {
        return !(a == b);
    }
};
inline accessor_set accessors(const target& t) {
    accessor_set out;
    detail::check(cmm_accessed_by(t.c_value(), &out.devices, &out.host));
    return out;
}
// Devices by ordinal, then the host.
inline std::vector<location> accessed_by(const target& t) {
    const auto set = accessors(t);
    std::vector<location> out;
    for (int d = 0; d < 64; ++d)
        if (set.devices >> d & 1U)
            out.emplace_back(device{d});
    if (set.host)
        out.emplace_back(host{});
    return out;
}
// Makes the set exactly `wanted`: all are checked first, then only the differences reach the
// driver.
inline void assign_accessed_by(const target& t, const location_list& wanted) {
    detail::check(cmm_assign_accessed_by(t.c_value(), wanted.c_data(), wanted.size()));
}

} // namespace over_c
} // namespace cmm

#endif
