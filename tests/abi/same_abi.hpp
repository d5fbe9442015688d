// SPDX-License-Identifier: Apache-2.0
// Whether two types are one and the same to a caller of a C function.
#pragma once
#include "driver_abi.h"
#include <concepts>
#include <cuda.h>
#include <type_traits>

namespace cmm::abi {

template <class Ours, class Theirs> constexpr bool same_struct = false;
template <> inline constexpr bool same_struct<mem_location, CUmemLocation> = true;
template <> inline constexpr bool same_struct<memcpy_attributes, CUmemcpyAttributes> = true;

template <class Ours, class Theirs> constexpr bool same_integer() {
    if constexpr (std::is_enum_v<Theirs>)
        return sizeof(Ours) == sizeof(Theirs) && std::integral<Ours>;
    else
        return sizeof(Ours) == sizeof(Theirs) && std::integral<Ours> && std::integral<Theirs> &&
               std::is_signed_v<Ours> == std::is_signed_v<Theirs>;
}

template <class Ours, class Theirs> constexpr bool same_type() {
    if constexpr (std::same_as<Ours, Theirs>)
        return true;
    else if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
        using ours = std::remove_cv_t<std::remove_pointer_t<Ours>>;
        using theirs = std::remove_cv_t<std::remove_pointer_t<Theirs>>;
        if constexpr (std::is_void_v<ours>)
            return true; // an opaque handle: the address of a struct that nobody sees
        else
            return same_type<ours, theirs>();
    } else if constexpr (std::is_class_v<Ours> || std::is_class_v<Theirs>)
        return same_struct<Ours, Theirs>;
    else
        return same_integer<Ours, Theirs>();
}

template <class Ours, class Theirs> struct same_function : std::false_type {};
template <class Ours, class Theirs, class... OurArgs, class... TheirArgs>
    requires(sizeof...(OurArgs) == sizeof...(TheirArgs))
struct same_function<Ours(OurArgs...), Theirs (*)(TheirArgs...)>
    : std::bool_constant<same_type<Ours, Theirs>() && (same_type<OurArgs, TheirArgs>() && ...)> {};

} // namespace cmm::abi
