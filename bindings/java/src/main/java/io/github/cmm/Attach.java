// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

/** Who may touch new managed memory first, with the driver's words. */
public enum Attach {
    /** Anyone. */
    GLOBAL(1),
    /** The host alone, until it is attached to a stream. */
    HOST(2);

    final int code;

    Attach(int code) {
        this.code = code;
    }
}
