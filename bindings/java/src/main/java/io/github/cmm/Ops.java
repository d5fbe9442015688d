// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.lang.ref.Reference;
import java.util.List;

/**
 * Operations on managed memory: one buffer, or a list of them with one location for all or a list
 * of locations that pairs by index.
 *
 * <p>Everything is checked before the driver is called: what throws {@link
 * InvalidArgumentException},
 * {@link NotSupportedException} or {@link ClosedException} has changed nothing. A {@link
 * CmmException} says how many runs had been issued; advice is taken back. Buffers of zero bytes are
 * skipped, and neighbours that go to the same place reach the driver as one range. Moves are in
 * stream order, and the memory lives until they are done.
 */
public final class Ops {
    private Ops() {
    }

    /**
     * Gives the driver advice about memory. For advice without a location.
     *
     * @param buffer what to work on
     * @param advice what to advise
     * @return what became of it
     */
    public static Report advise(Buffer buffer, Advice advice) {
        return advise(List.of(buffer), advice);
    }

    /**
     * Gives the driver advice about memory.
     *
     * @param buffer what to work on
     * @param advice what to advise
     * @param where one location
     * @return what became of it
     */
    public static Report advise(Buffer buffer, Advice advice, Location where) {
        return advise(List.of(buffer), advice, where);
    }

    /**
     * Gives the driver advice about memory. For advice without a location.
     *
     * @param buffers what to work on
     * @param advice what to advise
     * @return what became of it
     */
    public static Report advise(List<? extends Buffer> buffers, Advice advice) {
        return advise(buffers, advice, Host.any());
    }

    /**
     * Gives the driver advice about memory.
     *
     * @param buffers what to work on
     * @param advice what to advise
     * @param where one location
     * @return what became of it
     */
    public static Report advise(List<? extends Buffer> buffers, Advice advice, Location where) {
        return advise(buffers, advice, where, OpOptions.DEFAULT);
    }

    /**
     * Gives the driver advice about memory.
     *
     * @param buffers what to work on
     * @param advice what to advise
     * @param where one location
     * @param options how
     * @return what became of it
     */
    public static Report advise(List<? extends Buffer> buffers, Advice advice, Location where,
                                OpOptions options) {
        return advise(buffers, advice, new long[] {where.code()}, false, options);
    }

    /**
     * Gives the driver advice about memory.
     *
     * @param buffers what to work on
     * @param advice what to advise
     * @param wheres a location for each
     * @return what became of it
     */
    public static Report advise(List<? extends Buffer> buffers, Advice advice,
                                List<? extends Location> wheres) {
        return advise(buffers, advice, wheres, OpOptions.DEFAULT);
    }

    /**
     * Gives the driver advice about memory.
     *
     * @param buffers what to work on
     * @param advice what to advise
     * @param wheres a location for each
     * @param options how
     * @return what became of it
     */
    public static Report advise(List<? extends Buffer> buffers, Advice advice,
                                List<? extends Location> wheres, OpOptions options) {
        return advise(buffers, advice, Codes.locations(wheres, "advise"), true, options);
    }

    private static Report advise(List<? extends Buffer> buffers, Advice advice, long[] where,
                                 boolean paired, OpOptions options) {
        Buffer[] targets = Codes.snapshot(buffers);
        long[] did = cmm.advise(Codes.handles(targets, "advise: targets"), advice.code(), where,
                                paired, options.code());
        Reference.reachabilityFence(targets);
        return Report.of(did);
    }

    /**
     * Moves memory to where it will be needed; contents are kept.
     *
     * @param buffer what to work on
     * @param where one location
     * @param stream where it is ordered
     * @return what became of it
     */
    public static Report prefetch(Buffer buffer, Location where, Stream stream) {
        return prefetch(buffer, where, stream, OpOptions.DEFAULT);
    }

    /**
     * Moves memory to where it will be needed; contents are kept.
     *
     * @param buffer what to work on
     * @param where one location
     * @param stream where it is ordered
     * @param options how
     * @return what became of it
     */
    public static Report prefetch(Buffer buffer, Location where, Stream stream, OpOptions options) {
        long[] did = cmm.prefetch(new long[] {buffer.handle}, new long[] {where.code()}, false,
                                  stream.code(), options.code());
        Reference.reachabilityFence(buffer);
        Reference.reachabilityFence(stream);
        return Report.of(did);
    }

    /**
     * Moves memory to where it will be needed; contents are kept.
     *
     * @param buffers what to work on
     * @param where one location
     * @param stream where it is ordered
     * @return what became of it
     */
    public static Report prefetch(List<? extends Buffer> buffers, Location where, Stream stream) {
        return prefetch(buffers, where, stream, OpOptions.DEFAULT);
    }

    /**
     * Moves memory to where it will be needed; contents are kept.
     *
     * @param buffers what to work on
     * @param where one location
     * @param stream where it is ordered
     * @param options how
     * @return what became of it
     */
    public static Report prefetch(List<? extends Buffer> buffers, Location where, Stream stream,
                                  OpOptions options) {
        return prefetch(buffers, new long[] {where.code()}, false, stream, options);
    }

    /**
     * Moves memory to where it will be needed; contents are kept.
     *
     * @param buffers what to work on
     * @param wheres a location for each
     * @param stream where it is ordered
     * @return what became of it
     */
    public static Report prefetch(List<? extends Buffer> buffers, List<? extends Location> wheres,
                                  Stream stream) {
        return prefetch(buffers, wheres, stream, OpOptions.DEFAULT);
    }

    /**
     * Moves memory to where it will be needed; contents are kept.
     *
     * @param buffers what to work on
     * @param wheres a location for each
     * @param stream where it is ordered
     * @param options how
     * @return what became of it
     */
    public static Report prefetch(List<? extends Buffer> buffers, List<? extends Location> wheres,
                                  Stream stream, OpOptions options) {
        return prefetch(buffers, Codes.locations(wheres, "prefetch"), true, stream, options);
    }

    private static Report prefetch(List<? extends Buffer> buffers, long[] where, boolean paired,
                                   Stream stream, OpOptions options) {
        Buffer[] targets = Codes.snapshot(buffers);
        long[] did = cmm.prefetch(Codes.handles(targets, "prefetch: targets"), where, paired,
                                  stream.code(), options.code());
        Reference.reachabilityFence(targets);
        Reference.reachabilityFence(stream);
        return Report.of(did);
    }

    /**
     * Discards, and places memory at the location without moving contents. CUDA 13.0.
     *
     * @param buffer what to work on
     * @param where one location
     * @param stream where it is ordered
     * @return what became of it
     */
    public static Report discardPrefetch(Buffer buffer, Location where, Stream stream) {
        return discardPrefetch(buffer, where, stream, OpOptions.DEFAULT);
    }

    /**
     * Discards, and places memory at the location without moving contents. CUDA 13.0.
     *
     * @param buffer what to work on
     * @param where one location
     * @param stream where it is ordered
     * @param options how
     * @return what became of it
     */
    public static Report discardPrefetch(Buffer buffer, Location where, Stream stream,
                                         OpOptions options) {
        long[] did = cmm.discardPrefetch(new long[] {buffer.handle}, new long[] {where.code()},
                                         false, stream.code(), options.code());
        Reference.reachabilityFence(buffer);
        Reference.reachabilityFence(stream);
        return Report.of(did);
    }

    /**
     * Discards, and places memory at the location without moving contents. CUDA 13.0.
     *
     * @param buffers what to work on
     * @param where one location
     * @param stream where it is ordered
     * @return what became of it
     */
    public static Report discardPrefetch(List<? extends Buffer> buffers, Location where,
                                         Stream stream) {
        return discardPrefetch(buffers, where, stream, OpOptions.DEFAULT);
    }

    /**
     * Discards, and places memory at the location without moving contents. CUDA 13.0.
     *
     * @param buffers what to work on
     * @param where one location
     * @param stream where it is ordered
     * @param options how
     * @return what became of it
     */
    public static Report discardPrefetch(List<? extends Buffer> buffers, Location where,
                                         Stream stream, OpOptions options) {
        return discardPrefetch(buffers, new long[] {where.code()}, false, stream, options);
    }

    /**
     * Discards, and places memory at the location without moving contents. CUDA 13.0.
     *
     * @param buffers what to work on
     * @param wheres a location for each
     * @param stream where it is ordered
     * @return what became of it
     */
    public static Report discardPrefetch(List<? extends Buffer> buffers,
                                         List<? extends Location> wheres, Stream stream) {
        return discardPrefetch(buffers, wheres, stream, OpOptions.DEFAULT);
    }

    /**
     * Discards, and places memory at the location without moving contents. CUDA 13.0.
     *
     * @param buffers what to work on
     * @param wheres a location for each
     * @param stream where it is ordered
     * @param options how
     * @return what became of it
     */
    public static Report discardPrefetch(List<? extends Buffer> buffers,
                                         List<? extends Location> wheres, Stream stream,
                                         OpOptions options) {
        return discardPrefetch(buffers, Codes.locations(wheres, "discardPrefetch"), true, stream,
                               options);
    }

    private static Report discardPrefetch(List<? extends Buffer> buffers, long[] where,
                                          boolean paired, Stream stream, OpOptions options) {
        Buffer[] targets = Codes.snapshot(buffers);
        long[] did = cmm.discardPrefetch(Codes.handles(targets, "discardPrefetch: targets"), where,
                                         paired, stream.code(), options.code());
        Reference.reachabilityFence(targets);
        Reference.reachabilityFence(stream);
        return Report.of(did);
    }

    /**
     * Says that contents are no longer needed: afterwards they are indeterminate. CUDA 13.0.
     *
     * @param buffer what to work on
     * @param stream where it is ordered
     * @return what became of it
     */
    public static Report discard(Buffer buffer, Stream stream) {
        return discard(List.of(buffer), stream);
    }

    /**
     * Says that contents are no longer needed: afterwards they are indeterminate. CUDA 13.0.
     *
     * @param buffers what to work on
     * @param stream where it is ordered
     * @return what became of it
     */
    public static Report discard(List<? extends Buffer> buffers, Stream stream) {
        return discard(buffers, stream, OpOptions.DEFAULT);
    }

    /**
     * Says that contents are no longer needed: afterwards they are indeterminate. CUDA 13.0.
     *
     * @param buffers what to work on
     * @param stream where it is ordered
     * @param options how
     * @return what became of it
     */
    public static Report discard(List<? extends Buffer> buffers, Stream stream, OpOptions options) {
        Buffer[] targets = Codes.snapshot(buffers);
        long[] did =
            cmm.discard(Codes.handles(targets, "discard: targets"), stream.code(), options.code());
        Reference.reachabilityFence(targets);
        Reference.reachabilityFence(stream);
        return Report.of(did);
    }
}
