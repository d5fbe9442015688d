// SPDX-License-Identifier: Apache-2.0
module;
#include <atomic>
#include <bit>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>
#include <vector>
module cmm.managed;
import cmm.driver;

namespace cmm {

managed_buffer managed_buffer::from_handle(void* address, std::size_t bytes, std::shared_ptr<const void> owner) {
    auto borrowed = buffer::from_handle(address, bytes, std::move(owner));
    if (bytes != 0 && !borrowed.is_managed())
        throw invalid_argument({"from_handle", "address"},
                               fmt::format("{} is not managed memory ({}, {} bytes); borrow it as a buffer",
                                           address, to_string(borrowed.kind()), bytes));
    return managed_buffer(borrowed.let_go());
}

bool managed_buffer::read_mostly() const { return cmm::read_mostly(*this); }

void managed_buffer::read_mostly(bool wanted) {
    cmm::advise(*this, wanted ? advice::set_read_mostly : advice::unset_read_mostly);
}

std::optional<location> managed_buffer::preferred_location() const { return cmm::preferred_location(*this); }

void managed_buffer::preferred_location(std::optional<location> wanted) {
    if (wanted)
        cmm::advise(*this, advice::set_preferred_location, *wanted);
    else
        cmm::advise(*this, advice::unset_preferred_location);
}

std::optional<location> managed_buffer::last_prefetch_location() const {
    return cmm::last_prefetch_location(*this);
}

} // namespace cmm
