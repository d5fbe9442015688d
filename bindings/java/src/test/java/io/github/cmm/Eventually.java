// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.util.function.BooleanSupplier;

/** What the collector and its cleaners do some time. */
final class Eventually {
    private Eventually() {
    }

    static boolean collected(BooleanSupplier done) throws InterruptedException {
        for (int i = 0; i < 100; i++) {
            System.gc();
            if (done.getAsBoolean())
                return true;
            Thread.sleep(20);
        }
        return false;
    }
}
