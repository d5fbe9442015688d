// SPDX-License-Identifier: Apache-2.0
// Faults on demand: the n-th call of an entry point answers a chosen error.
#pragma once

#include "abi.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sim {

/// Whether a context that met `code` answers it from then on.
bool is_sticky(result code);

class fault_list {
public:
    /// Arms a fault for the `nth` call from now on (1 is the next one), or for every one (0).
    void arm(std::string_view entry, std::uint64_t nth, result code);
    void clear() { armed_.clear(); }
    /// Counts this call, and gives the error that it has to answer, if one is due.
    std::optional<result> play(std::string_view entry);
    std::uint64_t played() const { return played_; }

private:
    struct fault {
        std::string entry;
        std::uint64_t nth;
        result code;
        std::uint64_t seen;
    };
    std::vector<fault> armed_;
    std::uint64_t played_ = 0;
};

} // namespace sim
