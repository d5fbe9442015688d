// SPDX-License-Identifier: Apache-2.0
// The open driver: table, facts and what follows from them. One at a time for the process.
module;
#include "driver_abi.h"
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
module cmm.driver:state;
import :table;
import :types;

namespace cmm::driver {

// Never freed: a thread may be inside a call of the earlier driver while another one is opened.
struct state {
    table calls;
    facts known;
    features can;
    int without_concurrent; // first device without concurrentManagedAccess, or -1

    explicit state(resolver&& r) : calls{std::move(r)} {}
};

extern std::atomic<const state*> current;

// Opens with the environment's choice, or throws.
const state& open_now();

// The hot path of every call: one load and a branch.
inline const state& live() {
    if (const state* s = current.load(std::memory_order_acquire)) [[likely]]
        return *s;
    return open_now();
}

// For lowering functions, which do not throw: null where no driver can be opened.
const state* open_quietly() noexcept;
inline const state* live_quietly() noexcept {
    if (const state* s = current.load(std::memory_order_acquire)) [[likely]]
        return s;
    return open_quietly();
}

} // namespace cmm::driver
