// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

/** What a device may be able to do. */
public enum Operation {
    /** {@link Ops#advise}. */
    ADVISE,
    /** {@link Ops#prefetch}. */
    PREFETCH,
    /** {@link Ops#discard}: CUDA 13.0. */
    DISCARD,
    /** {@link Ops#discardPrefetch}: CUDA 13.0. */
    DISCARD_PREFETCH,
    /** {@link Copies#copyBatch}. */
    COPY_BATCH,
    /** Locations that are NUMA nodes: CUDA 12.2. */
    NUMA_LOCATIONS,
    /** Allocating managed memory. */
    MANAGED_MEMORY,
    /** The driver's batch entry points for moves: CUDA 13.0. */
    BATCHES,
    /** Operations on memory of malloc and mmap. */
    PAGEABLE_MEMORY
}
