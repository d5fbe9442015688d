// SPDX-License-Identifier: Apache-2.0
module;
#include <atomic>
#include <bit>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <initializer_list>
#include <span>
#include <vector>
module cmm.managed;
import cmm.driver;

namespace cmm {

namespace {

bool is_in(const accessor_set& set, const location& l) noexcept {
    if (l.is_device())
        return l.id() < 64 && (set.devices >> static_cast<unsigned>(l.id()) & 1U) != 0;
    return l.kind() == location_kind::host && set.host;
}

} // namespace

accessor_set accessed_by_set::now() const { return accessors(target(*state_)); }

accessed_by_set& accessed_by_set::operator=(std::initializer_list<location> wanted) {
    assign(location_list(wanted));
    return *this;
}

accessed_by_set& accessed_by_set::operator=(const accessed_by_set& o) {
    if (this != &o)
        assign(location_list(o.items()));
    return *this;
}

void accessed_by_set::assign(const location_list& wanted) { assign_accessed_by(target(*state_), wanted); }

bool accessed_by_set::contains(const location& l) const { return is_in(now(), l); }

void accessed_by_set::add(const location& l) {
    if (!is_in(now(), l))
        advise(target(*state_), advice::set_accessed_by, l);
}

void accessed_by_set::discard(const location& l) {
    if (is_in(now(), l))
        advise(target(*state_), advice::unset_accessed_by, l);
}

void accessed_by_set::clear() { assign(location_list(std::span<const location>())); }

std::size_t accessed_by_set::size() const {
    const auto set = now();
    return static_cast<std::size_t>(std::popcount(set.devices)) + (set.host ? 1 : 0);
}

std::vector<location> accessed_by_set::items() const { return accessed_by(target(*state_)); }

} // namespace cmm
