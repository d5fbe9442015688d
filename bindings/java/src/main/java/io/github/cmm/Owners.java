// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The owners of borrowed memory: native code knows them by number, and says which it is done with.
 */
final class Owners {
    private static final Map<Long, Object> KEPT = new ConcurrentHashMap<>();
    private static final AtomicLong LAST = new AtomicLong();

    private Owners() {
    }

    /** A number for an owner; 0 for null. */
    static long keep(Object owner) {
        dropReleased();
        if (owner == null)
            return 0;
        long number = LAST.incrementAndGet();
        KEPT.put(number, owner);
        return number;
    }

    static void dropReleased() {
        if (KEPT.isEmpty())
            return;
        for (long number : cmm.releasedOwners())
            KEPT.remove(number);
    }
}
