// SPDX-License-Identifier: Apache-2.0
module;
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unistd.h>
module cmm.range;
import cmm.error;

namespace cmm {

void detail::refuse_wrapping_range(std::uintptr_t address, std::size_t bytes) {
    throw invalid_argument({"range", "bytes"},
                           std::to_string(bytes) + " bytes from address " + std::to_string(address) +
                               " wrap round the end of the address space");
}

page_size page_size::of_system() noexcept {
    static const page_size system{static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))};
    return system;
}

} // namespace cmm
