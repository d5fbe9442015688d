// SPDX-License-Identifier: Apache-2.0
// The demo's work: files go through managed memory in rounds, each as many pieces of files as its
// memory takes. This header imports, so that it is included last.
#pragma once
#include "demo_files.hpp"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
// Imports.
#include "demo_device.hpp"

namespace cmm::tool {

// What one operation became, in all rounds together.
struct operation_tally {
    std::string name = {};
    std::uint64_t targets = 0, ranges = 0, calls = 0, bytes = 0, ignored = 0;
    double nanoseconds = 0; // in the stream; of the call where it has none
    std::string entry = {};
    std::string reason = {}; // for the entry point, or why the operation does not work here

    void add(const report& r);
};

// A part of a file that is in managed memory for one round.
struct piece {
    source* from;
    std::size_t wanted; // bytes of memory
    std::size_t bytes;  // read
};

class staging {
public:
    // Throws not_supported where the device has too little memory.
    explicit staging(std::vector<source>& sources);
    void run(progress& shown);

    std::vector<operation_tally> operations() const;
    std::size_t rounds() const noexcept { return rounds_; }
    std::size_t managed_bytes() const noexcept { return capacity_; }
    std::size_t budget() const noexcept { return budget_; }

private:
    struct round;
    std::vector<piece> next_pieces();
    void run_round(std::vector<piece> pieces, progress& shown);
    void read(round& r, progress& shown);
    void advise(const round& r);
    void move_in(round& r);
    void compute(round& r);
    void move_out(round& r);
    void compare(round& r);

    std::vector<source>& sources_;
    std::size_t budget_;
    std::size_t capacity_;
    std::size_t rounds_ = 0;
    stream stream_;
    managed_memory_resource arena_;
    std::unique_ptr<device_side> device_;
    operation_tally read_mostly_{.name = "advise read_mostly"};
    operation_tally preferred_{.name = "advise preferred_location"};
    operation_tally in_{.name = "prefetch to the device"};
    operation_tally discard_{.name = "discard scratch"};
    operation_tally copy_{.name = "copy_batch of results"};
    operation_tally out_{.name = "prefetch to the host"};
};

} // namespace cmm::tool
