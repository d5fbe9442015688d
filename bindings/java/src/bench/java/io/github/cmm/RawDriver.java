// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.nio.file.Path;

/** The driver's own calls, without cmm. */
final class RawDriver {
    private RawDriver() {
    }

    /** Finds them in the library that cmm uses. */
    static void open() {
        System.load(Path.of(System.getProperty("cmm.library.path"), "libcmmjavaraw.so")
                        .toAbsolutePath()
                        .toString());
        if (!open(Driver.library()))
            throw new IllegalStateException(
                "the driver has no cuMemPrefetchBatchAsync: 13.0 is needed");
    }

    private static native boolean open(String library);
    static native int loop(long address, long bytes, int count, long stream);
    static native int batch(long address, long bytes, int count, long stream);
    static native int readMostly(long address, long bytes, int times);
}
