// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.util.function.Supplier;

/**
 * Asks Java's collector for buffers that nobody can reach, when an allocation runs out of memory.
 */
final class Collector {
    private static final int MOST_WAITS = 9; // 1, 2, 4, ... ms: half a second in all

    private Collector() {
    }

    /** Cleaners run behind the collector, on a thread of their own: tries again while they may. */
    static <T> T retrying(Supplier<T> allocation) {
        try {
            return allocation.get();
        } catch (OutOfMemoryException first) {
            System.gc();
            return afterCollection(allocation, first);
        }
    }

    private static <T> T afterCollection(Supplier<T> allocation, OutOfMemoryException first) {
        boolean interrupted = false;
        try {
            for (int wait = 0; wait < MOST_WAITS; wait++) {
                try {
                    Thread.sleep(1L << wait);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
                try {
                    return allocation.get();
                } catch (OutOfMemoryException again) {
                    // the first one tells as much
                }
            }
        } finally {
            if (interrupted)
                Thread.currentThread().interrupt();
        }
        throw first;
    }
}
