// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.util.Objects;
import java.util.Optional;

/**
 * How an arena is made.
 *
 * @param device for which device; empty: the current context's, else device 0
 * @param attach who may touch the memory first
 * @param slabBytes bytes of a slab, rounded up to 2 MiB; larger allocations get a slab of their
 *     size
 * @param limitBytes of all slabs; 0: no limit
 */
public record ArenaOptions(Optional<Device> device, Attach attach, long slabBytes,
                           long limitBytes) {
    /** What arenas without options have. */
    public static final ArenaOptions DEFAULT =
        new ArenaOptions(Optional.empty(), Attach.GLOBAL, 64L << 20, 0);

    /** Numbers of bytes are not negative, and nothing is null. */
    public ArenaOptions {
        Objects.requireNonNull(device, "device");
        Objects.requireNonNull(attach, "attach");
        if (slabBytes <= 0)
            throw new InvalidArgumentException("arena: " + slabBytes + " is no size of a slab",
                                               "slabBytes");
        if (limitBytes < 0)
            throw new InvalidArgumentException("arena: " + limitBytes + " is no limit",
                                               "limitBytes");
    }

    /**
     * The same for a device.
     *
     * @param wanted the device
     * @return new options
     */
    public ArenaOptions withDevice(Device wanted) {
        return new ArenaOptions(Optional.of(wanted), attach, slabBytes, limitBytes);
    }

    /**
     * The same with slabs of another size.
     *
     * @param wanted bytes
     * @return new options
     */
    public ArenaOptions withSlabBytes(long wanted) {
        return new ArenaOptions(device, attach, wanted, limitBytes);
    }

    /**
     * The same with another limit.
     *
     * @param wanted bytes; 0: no limit
     * @return new options
     */
    public ArenaOptions withLimitBytes(long wanted) {
        return new ArenaOptions(device, attach, slabBytes, wanted);
    }
}
