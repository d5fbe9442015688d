// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

/** Pinned host memory: the fast end of copies. */
public final class PinnedMemoryResource extends MemoryResource {
    /** Makes a resource. */
    public PinnedMemoryResource() {
        super(cmm.resourcePinned());
    }

    @Override
    public Buffer allocate(long bytes) {
        return new Buffer(allocateHandle(bytes));
    }
}
