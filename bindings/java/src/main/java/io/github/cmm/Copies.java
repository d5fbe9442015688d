// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.lang.ref.Reference;
import java.util.List;

/** Copies: many buffers at once, in stream order. */
public final class Copies {
    private Copies() {
    }

    /**
     * Copies srcs[i] to dsts[i] for all i, in the order of the stream and in no order among
     * themselves. The memory may be managed, device, pinned or pageable; all of it lives until the
     * copies are done.
     *
     * @param stream where they are ordered
     * @param srcs the sources
     * @param dsts the destinations, of the same sizes
     * @return what became of it
     * @throws InvalidArgumentException for lists or buffers of different sizes, and for copies that
     *     overlap
     */
    public static Report copyBatch(Stream stream, List<? extends Buffer> srcs,
                                   List<? extends Buffer> dsts) {
        return copyBatch(stream, srcs, dsts, CopyOptions.DEFAULT);
    }

    /**
     * The same with options for all copies.
     *
     * @param stream where they are ordered
     * @param srcs the sources
     * @param dsts the destinations, of the same sizes
     * @param copy when sources are read, and hints
     * @return what became of it
     */
    public static Report copyBatch(Stream stream, List<? extends Buffer> srcs,
                                   List<? extends Buffer> dsts, CopyOptions copy) {
        return copyBatch(stream, srcs, dsts, copy, OpOptions.DEFAULT);
    }

    /**
     * The same with options for all copies.
     *
     * @param stream where they are ordered
     * @param srcs the sources
     * @param dsts the destinations, of the same sizes
     * @param copy when sources are read, and hints
     * @param options how it is carried out
     * @return what became of it
     */
    public static Report copyBatch(Stream stream, List<? extends Buffer> srcs,
                                   List<? extends Buffer> dsts, CopyOptions copy,
                                   OpOptions options) {
        return copyBatch(stream, srcs, dsts, Codes.copyOptions(copy), false, options);
    }

    /**
     * The same with options for each copy.
     *
     * @param stream where they are ordered
     * @param srcs the sources
     * @param dsts the destinations, of the same sizes
     * @param copies options, one for each copy
     * @return what became of it
     */
    public static Report copyBatch(Stream stream, List<? extends Buffer> srcs,
                                   List<? extends Buffer> dsts, List<CopyOptions> copies) {
        return copyBatch(stream, srcs, dsts, copies, OpOptions.DEFAULT);
    }

    /**
     * The same with options for each copy.
     *
     * @param stream where they are ordered
     * @param srcs the sources
     * @param dsts the destinations, of the same sizes
     * @param copies options, one for each copy
     * @param options how it is carried out
     * @return what became of it
     */
    public static Report copyBatch(Stream stream, List<? extends Buffer> srcs,
                                   List<? extends Buffer> dsts, List<CopyOptions> copies,
                                   OpOptions options) {
        return copyBatch(stream, srcs, dsts, Codes.copyOptions(copies), true, options);
    }

    private static Report copyBatch(Stream stream, List<? extends Buffer> srcs,
                                    List<? extends Buffer> dsts, long[] copies, boolean perCopy,
                                    OpOptions options) {
        Buffer[] from = Codes.snapshot(srcs);
        Buffer[] to = Codes.snapshot(dsts);
        long[] did =
            cmm.copyBatch(stream.code(), Codes.handles(from, "copyBatch: srcs"),
                          Codes.handles(to, "copyBatch: dsts"), copies, perCopy, options.code());
        Reference.reachabilityFence(from);
        Reference.reachabilityFence(to);
        Reference.reachabilityFence(stream);
        return Report.of(did);
    }
}
