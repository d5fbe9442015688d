// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.util.Objects;
import java.util.Optional;

/**
 * Options of a batched copy.
 *
 * @param srcAccessOrder when the source may be read
 * @param srcLocationHint where the source's bytes are; empty: unknown
 * @param dstLocationHint where the destination's bytes are; empty: unknown
 * @param overlapMode whether to run beside kernels
 */
public record CopyOptions(SrcAccessOrder srcAccessOrder, Optional<Location> srcLocationHint,
                          Optional<Location> dstLocationHint, OverlapMode overlapMode) {
    /** What copies without options have. */
    public static final CopyOptions DEFAULT = new CopyOptions(
        SrcAccessOrder.STREAM, Optional.empty(), Optional.empty(), OverlapMode.STANDARD);

    /** None may be null. */
    public CopyOptions {
        Objects.requireNonNull(srcAccessOrder, "srcAccessOrder");
        Objects.requireNonNull(srcLocationHint, "srcLocationHint");
        Objects.requireNonNull(dstLocationHint, "dstLocationHint");
        Objects.requireNonNull(overlapMode, "overlapMode");
    }

    /**
     * The same with another order.
     *
     * @param order when the source may be read
     * @return new options
     */
    public CopyOptions withSrcAccessOrder(SrcAccessOrder order) {
        return new CopyOptions(order, srcLocationHint, dstLocationHint, overlapMode);
    }

    /**
     * The same with a hint about the source.
     *
     * @param hint the location; null for none
     * @return new options
     */
    public CopyOptions withSrcLocationHint(Location hint) {
        return new CopyOptions(srcAccessOrder, Optional.ofNullable(hint), dstLocationHint,
                               overlapMode);
    }

    /**
     * The same with a hint about the destination.
     *
     * @param hint the location; null for none
     * @return new options
     */
    public CopyOptions withDstLocationHint(Location hint) {
        return new CopyOptions(srcAccessOrder, srcLocationHint, Optional.ofNullable(hint),
                               overlapMode);
    }

    /**
     * The same with another overlap mode.
     *
     * @param mode whether to run beside kernels
     * @return new options
     */
    public CopyOptions withOverlapMode(OverlapMode mode) {
        return new CopyOptions(srcAccessOrder, srcLocationHint, dstLocationHint, mode);
    }

    /** Writes the three numbers that cross. */
    void write(long[] to, int at) {
        to[at] = (long) overlapMode.ordinal() << 32 | srcAccessOrder.code();
        to[at + 1] = srcLocationHint.map(Location::code).orElse(0L);
        to[at + 2] = dstLocationHint.map(Location::code).orElse(0L);
    }
}
