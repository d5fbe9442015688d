// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.util.Collection;
import java.util.List;

/** Sequences as they cross to native code: one long[] each. */
final class Codes {
    private Codes() {
    }

    /** The handles of buffers. Whoever calls keeps them reachable until the native call is over. */
    static long[] handles(Buffer[] buffers, String what) {
        long[] codes = new long[buffers.length];
        for (int i = 0; i < codes.length; i++) {
            if (buffers[i] == null)
                throw new NullPointerException(what + "[" + i + "]: null is no buffer");
            codes[i] = buffers[i].handle;
        }
        return codes;
    }

    /** A snapshot: the list may change meanwhile. */
    static Buffer[] snapshot(List<? extends Buffer> buffers) {
        return buffers.toArray(new Buffer[0]);
    }

    static long[] locations(Collection<? extends Location> locations, String operation) {
        Location[] items = locations.toArray(new Location[0]);
        long[] codes = new long[items.length];
        for (int i = 0; i < codes.length; i++) {
            if (items[i] == null)
                throw new NullPointerException(operation + ": locations[" + i +
                                               "]: null is no location");
            codes[i] = items[i].code();
        }
        return codes;
    }

    static long[] copyOptions(CopyOptions options) {
        long[] codes = new long[3];
        options.write(codes, 0);
        return codes;
    }

    static long[] copyOptions(List<CopyOptions> options) {
        CopyOptions[] items = options.toArray(new CopyOptions[0]);
        long[] codes = new long[3 * items.length];
        for (int i = 0; i < items.length; i++) {
            if (items[i] == null)
                throw new NullPointerException("copyBatch: options[" + i +
                                               "]: null is no CopyOptions");
            items[i].write(codes, 3 * i);
        }
        return codes;
    }
}
