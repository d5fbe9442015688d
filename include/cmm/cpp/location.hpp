// SPDX-License-Identifier: Apache-2.0
// Locations: where managed memory can live. Small values; a location that cannot exist is not made.
#ifndef CMM_CPP_LOCATION_HPP
#define CMM_CPP_LOCATION_HPP

#include <cmm/cmm.h>
#include <cmm/cpp/error.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>

namespace cmm {
inline namespace over_c {

enum class location_kind : std::int32_t {
    device = 1,
    host = 2,
    host_numa = 3,
    host_numa_current = 4
};

namespace detail {

template <class T>
constexpr bool is_ordinal = std::is_integral_v<T> && !std::is_same_v<std::remove_cv_t<T>, bool>;

template <class T> [[noreturn]] void refuse_ordinal(const char* what, T given) {
    throw invalid_argument("location", what,
                           std::to_string(given) + " is no ordinal; allowed are 0 to 2147483647");
}

template <class T> constexpr std::int32_t checked_ordinal(const char* what, T given) {
    if constexpr (std::is_signed_v<T>)
        if (given < 0)
            refuse_ordinal(what, given);
    if (static_cast<unsigned long long>(given) > 0x7fffffffULL)
        refuse_ordinal(what, given);
    return static_cast<std::int32_t>(given);
}

} // namespace detail

class location;

class device {
public:
    template <class T, class = std::enable_if_t<detail::is_ordinal<T>>>
    explicit constexpr device(T ordinal) : ordinal_(detail::checked_ordinal("device", ordinal)) {}
    template <class T, std::enable_if_t<!detail::is_ordinal<T>, int> = 0>
    explicit device(T) = delete; // device{true} and device{1.5} are mistakes

    constexpr std::int32_t ordinal() const noexcept { return ordinal_; }
    friend constexpr bool operator==(device a, device b) noexcept {
        return a.ordinal_ == b.ordinal_;
    }
    friend constexpr bool operator!=(device a, device b) noexcept {
        return a.ordinal_ != b.ordinal_;
    }
    friend constexpr bool operator<(device a, device b) noexcept { return a.ordinal_ < b.ordinal_; }

private:
    std::int32_t ordinal_;
};

class host {
public:
    constexpr host() = default;
    template <class T> static constexpr location numa(T node);
    static constexpr location numa_current() noexcept;
    friend constexpr bool operator==(host, host) noexcept { return true; }
    friend constexpr bool operator!=(host, host) noexcept { return false; }
};

class location {
public:
    constexpr location(cmm::device d) noexcept : c_{CMM_DEVICE, d.ordinal()} {}
    constexpr location(cmm::host) noexcept : c_{CMM_HOST, 0} {}
    static location from(std::int32_t kind, std::int64_t id);

    constexpr location_kind kind() const noexcept { return static_cast<location_kind>(c_.kind); }
    constexpr std::int32_t id() const noexcept { return c_.id; }
    constexpr bool is_device() const noexcept { return c_.kind == CMM_DEVICE; }
    constexpr bool is_numa() const noexcept {
        return c_.kind == CMM_HOST_NUMA || c_.kind == CMM_HOST_NUMA_CURRENT;
    }
    constexpr const cmm_location& c_value() const noexcept { return c_; }

    friend constexpr bool operator==(const location& a, const location& b) noexcept {
        return a.c_.kind == b.c_.kind && a.c_.id == b.c_.id;
    }
    friend constexpr bool operator!=(const location& a, const location& b) noexcept {
        return !(a == b);
    }
    friend constexpr bool operator<(const location& a, const location& b) noexcept {
        return a.c_.kind != b.c_.kind ? a.c_.kind < b.c_.kind : a.c_.id < b.c_.id;
    }

private:
    friend class host;
    constexpr location(std::int32_t kind, std::int32_t id) noexcept : c_{kind, id} {}
    cmm_location c_; // alone, so that an array of locations is one of the C ABI's
};
static_assert(sizeof(location) == sizeof(cmm_location) && std::is_standard_layout_v<location>);

template <class T> constexpr location host::numa(T node) {
    static_assert(detail::is_ordinal<T>, "a NUMA node is an integer");
    return location(CMM_HOST_NUMA, detail::checked_ordinal("host NUMA node", node));
}
constexpr location host::numa_current() noexcept { return location(CMM_HOST_NUMA_CURRENT, 0); }

inline location location::from(std::int32_t kind, std::int64_t id) {
    switch (kind) {
    case CMM_DEVICE: return cmm::device{id};
    case CMM_HOST: return cmm::host{};
    case CMM_HOST_NUMA: return cmm::host::numa(id);
    case CMM_HOST_NUMA_CURRENT: return cmm::host::numa_current();
    default:
        throw invalid_argument("location", "kind",
                               std::to_string(kind) +
                                   " is no kind of location; allowed are 1 (device), 2 (host), "
                                   "3 (host_numa) and 4 (host_numa_current)");
    }
}

inline std::string to_string(const location& l) {
    switch (l.kind()) {
    case location_kind::device: return "device:" + std::to_string(l.id());
    case location_kind::host: return "host";
    case location_kind::host_numa: return "host_numa:" + std::to_string(l.id());
    case location_kind::host_numa_current: return "host_numa_current";
    }
    return "nowhere";
}

namespace detail {
inline std::optional<location> as_location(cmm_location l) {
    return l.kind == CMM_NOWHERE ? std::nullopt
                                 : std::optional<location>(location::from(l.kind, l.id));
}
inline cmm_location as_c(const std::optional<location>& l) noexcept {
    return l ? l->c_value() : cmm_location{CMM_NOWHERE, 0};
}
} // namespace detail
} // namespace over_c
} // namespace cmm

template <> struct std::hash<cmm::location> {
    std::size_t operator()(const cmm::location& l) const noexcept {
        return static_cast<std::size_t>(l.kind()) << 32U ^ static_cast<std::size_t>(l.id());
    }
};

#endif
