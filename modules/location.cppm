// SPDX-License-Identifier: Apache-2.0
// Locations: where managed memory can live. Small values; a location that cannot exist is not made.
module;
#include <cmm/export.h>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
export module cmm.location;
import cmm.error;

export namespace cmm {

// The driver's kinds of location, with the driver's values.
enum class location_kind : std::int32_t { device = 1, host = 2, host_numa = 3, host_numa_current = 4 };

namespace detail {
[[noreturn]] CMM_API void refuse_ordinal(const char* what, long long given);
[[noreturn]] CMM_API void refuse_ordinal(const char* what, unsigned long long given);

// Refused at compile time: bool, floating point and anything else that is not an integer.
template <class T>
concept ordinal = std::integral<T> && !std::same_as<T, bool>;

template <ordinal T>
constexpr std::int32_t checked_ordinal(const char* what, T given) {
    if constexpr (std::signed_integral<T>)
        if (given < 0)
            refuse_ordinal(what, static_cast<long long>(given));
    if (static_cast<unsigned long long>(given) > 0x7fffffffULL)
        refuse_ordinal(what, static_cast<unsigned long long>(given));
    return static_cast<std::int32_t>(given);
}
} // namespace detail

class location;

// Device N, as the driver counts them. Throws invalid_argument for a negative ordinal.
class device {
public:
    template <detail::ordinal T>
    explicit constexpr device(T ordinal) : ordinal_(detail::checked_ordinal("device", ordinal)) {}
    template <class T>
        requires(!detail::ordinal<T>)
    explicit device(T) = delete; // device{true} and device{1.5} are mistakes

    constexpr std::int32_t ordinal() const noexcept { return ordinal_; }
    friend constexpr auto operator<=>(const device&, const device&) = default;

private:
    std::int32_t ordinal_;
};

// The host: any of its memory, one NUMA node of it, or the node of the calling thread.
class host {
public:
    constexpr host() = default;
    template <detail::ordinal T>
    static constexpr location numa(T node);
    static constexpr location numa_current() noexcept;
    friend constexpr auto operator<=>(const host&, const host&) = default;
};

class location {
public:
    constexpr location(cmm::device d) noexcept : kind_(location_kind::device), id_(d.ordinal()) {}
    constexpr location(cmm::host) noexcept : kind_(location_kind::host), id_(0) {}

    // From a kind and an id, as they cross language borders; `id` counts for device and host_numa only.
    // Throws invalid_argument for a kind that is none of the four and for a negative id.
    CMM_API static location from(std::int32_t kind, std::int64_t id);

    constexpr location_kind kind() const noexcept { return kind_; }
    // The ordinal or the node; 0 where the kind has none.
    constexpr std::int32_t id() const noexcept { return id_; }
    constexpr bool is_device() const noexcept { return kind_ == location_kind::device; }
    constexpr bool is_numa() const noexcept {
        return kind_ == location_kind::host_numa || kind_ == location_kind::host_numa_current;
    }
    friend constexpr auto operator<=>(const location&, const location&) = default;

private:
    friend class host;
    constexpr location(location_kind kind, std::int32_t id) noexcept : kind_(kind), id_(id) {}

    location_kind kind_;
    std::int32_t id_;
};

template <detail::ordinal T>
constexpr location host::numa(T node) {
    return location(location_kind::host_numa, detail::checked_ordinal("host NUMA node", node));
}
constexpr location host::numa_current() noexcept { return location(location_kind::host_numa_current, 0); }

// "device:0", "host", "host_numa:1", "host_numa_current".
CMM_API std::string to_string(const location& l);

} // namespace cmm

export template <>
struct std::hash<cmm::location> {
    inline std::size_t operator()(const cmm::location& l) const noexcept {
        return static_cast<std::size_t>(l.kind()) << 32U ^ static_cast<std::size_t>(l.id());
    }
};
