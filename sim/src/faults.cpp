// SPDX-License-Identifier: Apache-2.0
#include "faults.h"

#include <algorithm>
#include <array>

namespace sim {
namespace {

// What the CUDA documentation calls errors after which the process has to be started again.
constexpr std::array sticky_codes{700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 214};

} // namespace

bool is_sticky(result code) {
    return std::ranges::find(sticky_codes, static_cast<int>(code)) != sticky_codes.end();
}

void fault_list::arm(std::string_view entry, std::uint64_t nth, result code) {
    armed_.push_back({std::string(entry), nth, code, 0});
}

std::optional<result> fault_list::play(std::string_view entry) {
    std::optional<result> due;
    for (auto at = armed_.begin(); at != armed_.end();) {
        const bool hit = at->entry == entry && (++at->seen == at->nth || at->nth == 0);
        if (hit && !due)
            due = at->code;
        at = hit && at->nth != 0 ? armed_.erase(at) : at + 1;
    }
    if (due)
        ++played_;
    return due;
}

} // namespace sim
