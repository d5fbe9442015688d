// SPDX-License-Identifier: Apache-2.0
// The rules of advice, prefetch and discard, apart from the shapes of their entry points.
#pragma once

#include "world.h"

namespace sim {

struct range {
    device_ptr address;
    std::size_t bytes;
};

/// How an entry point names its locations: as CUDA 12.2 does, or by a device's ordinal (-1 the
/// host).
enum class naming { location, ordinal };

location from_ordinal(int ordinal);

/// The block of a range that lies inside one managed allocation, or null for system memory that
/// every device may access. @throws refusal for any other.
block_ref managed_memory(const world& w, range of);
/// The same for a discard, which system memory does not know.
block_ref managed_allocation(const world& w, range of);

enum class advice : int {
    set_read_mostly = 1,
    unset_read_mostly = 2,
    set_preferred_location = 3,
    unset_preferred_location = 4,
    set_accessed_by = 5,
    unset_accessed_by = 6,
};

void advise(world& w, range of, int given, location where, naming how);

/// Refuses a location that memory cannot be prefetched to.
void check_target(const world& w, location where, result bad_device);
void check_concurrent(const world& w, int device);

/// Marks the range as prefetched, and queues the move.
void prefetch(world& w, stream& on, range of, location where);
/// Queues the discard: whole pages lose their contents, partly covered ones keep theirs.
void discard(world& w, stream& on, range of);

} // namespace sim
