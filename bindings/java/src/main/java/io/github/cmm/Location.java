// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.util.Comparator;
import java.util.Optional;

/**
 * A place where managed memory can live: a {@link Device} or the {@link Host}. A value: equal ones
 * are equal, and there is an order.
 */
public abstract sealed class Location implements Comparable<Location> permits Device, Host {
    static final int DEVICE = 1;
    static final int HOST = 2;
    static final int HOST_NUMA = 3;
    static final int HOST_NUMA_CURRENT = 4;
    private static final Comparator<Location> ORDER =
        Comparator.<Location>comparingInt(l -> l.kind).thenComparingInt(l -> l.id);

    final int kind;
    final int id;

    Location(int kind, int id) {
        this.kind = kind;
        this.id = id;
    }

    /** As it crosses to native code. */
    final long code() {
        return (long) kind << 32 | id;
    }

    static Optional<Location> of(long code) {
        int id = (int) code;
        return switch ((int) (code >> 32)) {
            case DEVICE -> Optional.of(Device.of(id));
            case HOST -> Optional.of(Host.any());
            case HOST_NUMA -> Optional.of(Host.numa(id));
            case HOST_NUMA_CURRENT -> Optional.of(Host.numaCurrent());
            default -> Optional.empty();
        };
    }

    @Override
    public final int compareTo(Location other) {
        return ORDER.compare(this, other);
    }

    @Override
    public final boolean equals(Object other) {
        return other instanceof Location l && l.kind == kind && l.id == id;
    }

    @Override
    public final int hashCode() {
        return kind * 31 + id;
    }
}
