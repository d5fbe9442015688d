// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

/** What kind of memory a buffer is in. */
public enum MemoryKind {
    /** The driver does not say. */
    UNKNOWN,
    /** Managed memory. */
    MANAGED,
    /** Managed memory of a driver's pool, which takes no advice. */
    MANAGED_POOL,
    /** Device memory, which the host cannot touch. */
    DEVICE,
    /** Pinned host memory. */
    PINNED,
    /** Ordinary host memory. */
    PAGEABLE;

    private static final MemoryKind[] ALL = values();

    static MemoryKind of(int code) {
        return ALL[code];
    }
}
