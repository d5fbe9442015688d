// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.lang.ref.Reference;
import java.util.List;

/**
 * An operation that is checked, sorted and merged once and run again and again: for loops. Plans
 * keep their buffers' memory; closing a buffer breaks them, and running one then throws {@link
 * ClosedException} with the target's index.
 */
public final class Plan extends NativeObject {
    private Plan(long handle) {
        super(handle);
    }

    private interface Making {
        long of(long[] targets);
    }

    private static Plan over(List<? extends Buffer> buffers, String operation, Making making) {
        Buffer[] targets = Codes.snapshot(buffers);
        Plan made = new Plan(making.of(Codes.handles(targets, operation + ": targets")));
        Reference.reachabilityFence(targets);
        return made;
    }

    /**
     * A plan of {@link Ops#prefetch(List, Location, Stream)}.
     *
     * @param buffers what to work on
     * @param where one location
     * @return a new plan
     */
    public static Plan prefetch(List<? extends Buffer> buffers, Location where) {
        return prefetch(buffers, where, OpOptions.DEFAULT);
    }

    /**
     * A plan of {@link Ops#prefetch(List, Location, Stream)}.
     *
     * @param buffers what to work on
     * @param where one location
     * @param options how
     * @return a new plan
     */
    public static Plan prefetch(List<? extends Buffer> buffers, Location where, OpOptions options) {
        long[] one = {where.code()};
        return over(buffers, "prefetch", t -> cmm.planPrefetch(t, one, false, options.code()));
    }

    /**
     * A plan of {@link Ops#prefetch(List, Location, Stream)}.
     *
     * @param buffers what to work on
     * @param wheres a location for each
     * @return a new plan
     */
    public static Plan prefetch(List<? extends Buffer> buffers, List<? extends Location> wheres) {
        return prefetch(buffers, wheres, OpOptions.DEFAULT);
    }

    /**
     * A plan of {@link Ops#prefetch(List, Location, Stream)}.
     *
     * @param buffers what to work on
     * @param wheres a location for each
     * @param options how
     * @return a new plan
     */
    public static Plan prefetch(List<? extends Buffer> buffers, List<? extends Location> wheres,
                                OpOptions options) {
        long[] many = Codes.locations(wheres, "prefetch");
        return over(buffers, "prefetch", t -> cmm.planPrefetch(t, many, true, options.code()));
    }

    /**
     * A plan of {@link Ops#discardPrefetch(List, Location, Stream)}.
     *
     * @param buffers what to work on
     * @param where one location
     * @return a new plan
     */
    public static Plan discardPrefetch(List<? extends Buffer> buffers, Location where) {
        return discardPrefetch(buffers, where, OpOptions.DEFAULT);
    }

    /**
     * A plan of {@link Ops#discardPrefetch(List, Location, Stream)}.
     *
     * @param buffers what to work on
     * @param where one location
     * @param options how
     * @return a new plan
     */
    public static Plan discardPrefetch(List<? extends Buffer> buffers, Location where,
                                       OpOptions options) {
        long[] one = {where.code()};
        return over(buffers, "discardPrefetch",
                    t -> cmm.planDiscardPrefetch(t, one, false, options.code()));
    }

    /**
     * A plan of {@link Ops#discardPrefetch(List, Location, Stream)}.
     *
     * @param buffers what to work on
     * @param wheres a location for each
     * @return a new plan
     */
    public static Plan discardPrefetch(List<? extends Buffer> buffers,
                                       List<? extends Location> wheres) {
        return discardPrefetch(buffers, wheres, OpOptions.DEFAULT);
    }

    /**
     * A plan of {@link Ops#discardPrefetch(List, Location, Stream)}.
     *
     * @param buffers what to work on
     * @param wheres a location for each
     * @param options how
     * @return a new plan
     */
    public static Plan discardPrefetch(List<? extends Buffer> buffers,
                                       List<? extends Location> wheres, OpOptions options) {
        long[] many = Codes.locations(wheres, "discardPrefetch");
        return over(buffers, "discardPrefetch",
                    t -> cmm.planDiscardPrefetch(t, many, true, options.code()));
    }

    /**
     * A plan of {@link Ops#advise(List, Advice, Location)}.
     *
     * @param buffers what to work on
     * @param advice what to advise
     * @param where one location
     * @return a new plan
     */
    public static Plan advise(List<? extends Buffer> buffers, Advice advice, Location where) {
        return advise(buffers, advice, where, OpOptions.DEFAULT);
    }

    /**
     * A plan of {@link Ops#advise(List, Advice, Location)}.
     *
     * @param buffers what to work on
     * @param advice what to advise
     * @param where one location
     * @param options how
     * @return a new plan
     */
    public static Plan advise(List<? extends Buffer> buffers, Advice advice, Location where,
                              OpOptions options) {
        long[] one = {where.code()};
        return over(buffers, "advise",
                    t -> cmm.planAdvise(t, advice.code(), one, false, options.code()));
    }

    /**
     * A plan of {@link Ops#advise(List, Advice, Location)}.
     *
     * @param buffers what to work on
     * @param advice what to advise
     * @param wheres a location for each
     * @return a new plan
     */
    public static Plan advise(List<? extends Buffer> buffers, Advice advice,
                              List<? extends Location> wheres) {
        return advise(buffers, advice, wheres, OpOptions.DEFAULT);
    }

    /**
     * A plan of {@link Ops#advise(List, Advice, Location)}.
     *
     * @param buffers what to work on
     * @param advice what to advise
     * @param wheres a location for each
     * @param options how
     * @return a new plan
     */
    public static Plan advise(List<? extends Buffer> buffers, Advice advice,
                              List<? extends Location> wheres, OpOptions options) {
        long[] many = Codes.locations(wheres, "advise");
        return over(buffers, "advise",
                    t -> cmm.planAdvise(t, advice.code(), many, true, options.code()));
    }

    /**
     * A plan of {@link Copies#copyBatch(Stream, List, List)}.
     *
     * @param srcs the sources
     * @param dsts the destinations, of the same sizes
     * @return a new plan
     */
    public static Plan copyBatch(List<? extends Buffer> srcs, List<? extends Buffer> dsts) {
        return copyBatch(srcs, dsts, CopyOptions.DEFAULT, OpOptions.DEFAULT);
    }

    /**
     * A plan of {@link Copies#copyBatch(Stream, List, List)}.
     *
     * @param srcs the sources
     * @param dsts the destinations, of the same sizes
     * @param copy options for all copies
     * @param options how
     * @return a new plan
     */
    public static Plan copyBatch(List<? extends Buffer> srcs, List<? extends Buffer> dsts,
                                 CopyOptions copy, OpOptions options) {
        return copyBatch(srcs, dsts, Codes.copyOptions(copy), false, options);
    }

    /**
     * A plan of {@link Copies#copyBatch(Stream, List, List)}.
     *
     * @param srcs the sources
     * @param dsts the destinations, of the same sizes
     * @param copies options, one for each copy
     * @param options how
     * @return a new plan
     */
    public static Plan copyBatch(List<? extends Buffer> srcs, List<? extends Buffer> dsts,
                                 List<CopyOptions> copies, OpOptions options) {
        return copyBatch(srcs, dsts, Codes.copyOptions(copies), true, options);
    }

    private static Plan copyBatch(List<? extends Buffer> srcs, List<? extends Buffer> dsts,
                                  long[] copies, boolean perCopy, OpOptions options) {
        Buffer[] from = Codes.snapshot(srcs);
        Buffer[] to = Codes.snapshot(dsts);
        Plan made = new Plan(cmm.planCopy(Codes.handles(from, "copyBatch: srcs"),
                                          Codes.handles(to, "copyBatch: dsts"), copies, perCopy,
                                          options.code()));
        Reference.reachabilityFence(from);
        Reference.reachabilityFence(to);
        return made;
    }

    /**
     * Runs it.
     *
     * @param stream where it is ordered; a plan of advice ignores it
     * @return what became of it
     */
    public Report run(Stream stream) {
        long[] did = cmm.planRun(handle, stream.code());
        Reference.reachabilityFence(this);
        Reference.reachabilityFence(stream);
        return Report.of(did);
    }

    /**
     * How many ranges came in, how many go out, by which entry point, and why.
     *
     * @return a text
     */
    public String describe() {
        String text = cmm.planDescribe(handle);
        Reference.reachabilityFence(this);
        return text;
    }

    /**
     * Ranges that came in and are not empty.
     *
     * @return a number of ranges
     */
    public long rangesIn() {
        long ranges = cmm.planRangesIn(handle);
        Reference.reachabilityFence(this);
        return ranges;
    }

    /**
     * Ranges after merging.
     *
     * @return a number of ranges
     */
    public long rangesOut() {
        long ranges = cmm.planRangesOut(handle);
        Reference.reachabilityFence(this);
        return ranges;
    }
}
