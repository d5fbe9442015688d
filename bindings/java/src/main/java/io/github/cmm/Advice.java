// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

/** Advice for the driver, with its words. */
public enum Advice {
    /** The data is mostly read: every reader gets a copy. */
    SET_READ_MOSTLY,
    /** Takes {@link #SET_READ_MOSTLY} back. */
    UNSET_READ_MOSTLY,
    /** The memory would rather be at the location. */
    SET_PREFERRED_LOCATION,
    /** Takes {@link #SET_PREFERRED_LOCATION} back. */
    UNSET_PREFERRED_LOCATION,
    /** The location keeps the memory mapped: a device or the host. */
    SET_ACCESSED_BY,
    /** Takes {@link #SET_ACCESSED_BY} back. */
    UNSET_ACCESSED_BY;

    int code() {
        return ordinal() + 1;
    }
}
