// SPDX-License-Identifier: Apache-2.0
// The record of the calls that reached the driver: the last 1,048,576, oldest first.
#pragma once

#include "abi.h"

#include <array>
#include <cmm/sim.h>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace sim {

/// The element lists of a batch, as they were given.
struct batch_elements {
    std::vector<std::uint64_t> addresses, bytes, sources;
    std::vector<location> locations;
};

class call_record {
public:
    static constexpr std::size_t capacity = 1U << 20;

    void enable(bool on) { enabled_ = on; }
    bool enabled() const { return enabled_; }
    void clear();
    void add(const cmm_sim_call& call, std::unique_ptr<batch_elements> elements);
    std::size_t count() const { return count_; }
    /// Null past the end.
    const cmm_sim_call* get(std::size_t index) const;
    const batch_elements* elements(std::size_t index) const;
    std::size_t calls(std::string_view entry) const;

private:
    struct slot {
        cmm_sim_call call;
        std::unique_ptr<batch_elements> elements;
    };
    static constexpr std::size_t chunk_size = 4096;
    using chunk = std::array<slot, chunk_size>;

    const slot& at(std::size_t index) const;

    bool enabled_ = true;
    std::size_t first_ = 0; // the oldest one's place in the ring
    std::size_t count_ = 0;
    std::array<std::unique_ptr<chunk>, capacity / chunk_size> ring_;
};

} // namespace sim
