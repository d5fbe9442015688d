// SPDX-License-Identifier: Apache-2.0
// From the caller's lists to elements of a plan: every check that needs no move; private to cmm.ops and
// shared by all its operations.
module;
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>
export module cmm.gather;
import cmm.context;
import cmm.driver;
import cmm.error;
import cmm.location;
import cmm.plan;
import cmm.range;
import cmm.stream;
import cmm.target;
import cmm.trace;

export namespace cmm::detail {

// What an operation demands of its targets and locations.
struct demands {
    std::string_view operation;
    const char* what;          // "a prefetch", for errors
    plan::merging merging;
    bool is_advice = false;    // memory of a driver's pool declines it
    bool place = true;         // whether the location is a place to go to
    bool device_or_host = false; // accessed_by: no NUMA nodes
};

struct gathered {
    std::size_t count = 0;   // elements
    std::size_t bytes = 0;
    std::size_t ignored = 0; // by the hint policy
    std::uintptr_t address = 0; // of the first
    int device_hint = 0;     // a device whose context will do
    bool pageable = false;   // some are, which batch entry points refuse
};

// Fills `out` with the targets that are not empty. Throws as the operations say. `where` is checked even
// for empty targets.
gathered gather(const demands& d, const target_list& targets, const location_list& where, hint_policy hints,
                plan::range_planner& out);

// Throws invalid_argument for a device that is not there, not_supported for a NUMA node below 12.2.
void require_location(const demands& d, const location& l, std::size_t index, bool paired);

// Whether `l` can be gone to; false where the hint policy lets it pass.
bool honour_place(const demands& d, const location& l, std::size_t index, bool paired, hint_policy hints);

// Remembers in every buffer that work until the end of `call` needs it.
void remember_use(const target_list& targets, stream_call& call);

// A hint that cannot be honoured: throws not_supported (strict), warns once, or says nothing.
void cannot_honour(hint_policy p, const error_site& site, std::string_view text);

// One planner per thread and nesting: operations do not nest.
plan::range_planner& thread_planner();

} // namespace cmm::detail
