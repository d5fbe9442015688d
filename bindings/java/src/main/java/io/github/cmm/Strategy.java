// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

/** How what is left after merging reaches the driver. */
public enum Strategy {
    /** By the table of measured crossovers. */
    AUTOMATIC,
    /** By the batch entry point, where there is one. */
    DRIVER_BATCH,
    /** One call per range. */
    PER_RANGE,
    /** By what gives the calling thread back first. */
    RETURN_EARLY;

    private static final Strategy[] ALL = values();

    static Strategy of(long code) {
        return ALL[(int) code];
    }
}
