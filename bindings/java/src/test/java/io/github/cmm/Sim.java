// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** The simulated driver's control functions. */
final class Sim {
    static {
        Driver.isSimulated(); // the driver opens first, so that both mean the same library
        System.load(Path.of(System.getProperty("cmm.library.path"), "libcmmjavasim.so")
                        .toAbsolutePath()
                        .toString());
    }

    private Sim() {
    }

    static native int fault(String entry, long nth, int result);
    static native void clearFaults();
    static native void recordClear();
    static native long calls(String entry);
    static native void hold();
    static native void release();
    static native long useAfterFreeCount();
    static native long managedAllocations();

    /** Where a direct ByteBuffer is. */
    static native long addressOf(java.nio.ByteBuffer direct);

    /** Skips a test that only the simulated driver can have. */
    static void required() {
        Assumptions.assumeTrue(Driver.isSimulated(), "the simulated driver is needed");
    }
}
