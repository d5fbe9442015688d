// SPDX-License-Identifier: Apache-2.0
// Memory for a trace: what lay together there lies together here, at the same distances. A trace
// tells the first address, how many ranges there were and what they were merged to; the ranges are
// taken as of one size, and what did not merge as parted by a page. This header imports, so that it
// is included last.
#pragma once
#include <cstddef>
#include <span>
#include <vector>
// Imports.
#include "replay_trace.hpp"

namespace cmm::tool {

class replay_layout {
public:
    // Throws out_of_memory, and invalid_argument where the trace needs more than `budget` bytes.
    replay_layout(std::span<const traced_operation> operations, std::size_t budget);

    std::vector<managed_buffer> targets(const traced_operation& o) const;
    // Pinned memory in the same order, for copies, whose other side a trace does not tell.
    std::vector<buffer> sources(const traced_operation& o) const;
    std::size_t bytes() const noexcept { return bytes_; }
    std::size_t areas() const noexcept { return areas_.size(); }

private:
    struct area {
        range there;
        managed_buffer here;
    };
    void allocate(std::span<const range> there);

    std::vector<area> areas_; // by address
    buffer pinned_;
    std::size_t bytes_ = 0;
};

} // namespace cmm::tool
