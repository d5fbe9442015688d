// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.lang.ref.Reference;

/** Makes buffers. Closing a resource leaves the buffers that it made. */
public abstract sealed class MemoryResource
    extends NativeObject permits ManagedMemoryResource, PinnedMemoryResource, DeviceMemoryResource {
    MemoryResource(long handle) {
        super(handle);
    }

    /**
     * Allocates. Where memory runs out, unreachable buffers are collected before the allocation
     * fails.
     *
     * @param bytes the length; 0 makes an empty buffer
     * @return a new buffer
     * @throws OutOfMemoryException where there is no memory
     */
    public abstract Buffer allocate(long bytes);

    final long allocateHandle(long bytes) {
        if (bytes < 0)
            throw new InvalidArgumentException("allocate: " + bytes + " is no number of bytes",
                                               "bytes");
        long made = Collector.retrying(() -> cmm.resourceAllocate(handle, bytes));
        Reference.reachabilityFence(this);
        return made;
    }
}
