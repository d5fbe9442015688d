// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.util.OptionalInt;

/** The host's memory: any of it, or that of one NUMA node. */
public final class Host extends Location {
    private static final Host ANY = new Host(HOST, 0);
    private static final Host CURRENT = new Host(HOST_NUMA_CURRENT, 0);

    private Host(int kind, int id) {
        super(kind, id);
    }

    /**
     * The host, wherever on it.
     *
     * @return the host
     */
    public static Host any() {
        return ANY;
    }

    /**
     * One NUMA node of the host.
     *
     * @param node as the system counts, from 0
     * @return the node
     * @throws InvalidArgumentException for a negative node
     */
    public static Host numa(int node) {
        if (node < 0)
            throw new InvalidArgumentException(
                "host: " + node + " is no NUMA node; allowed are 0 to 2147483647", "node");
        return new Host(HOST_NUMA, node);
    }

    /**
     * The NUMA node of the thread that calls the operation.
     *
     * @return that node
     */
    public static Host numaCurrent() {
        return CURRENT;
    }

    /**
     * Tells which NUMA node was named.
     *
     * @return the node; empty for {@link #any} and {@link #numaCurrent}
     */
    public OptionalInt node() {
        return kind == HOST_NUMA ? OptionalInt.of(id) : OptionalInt.empty();
    }

    @Override
    public String toString() {
        return kind == HOST ? "host" : kind == HOST_NUMA ? "host_numa:" + id : "host_numa_current";
    }
}
