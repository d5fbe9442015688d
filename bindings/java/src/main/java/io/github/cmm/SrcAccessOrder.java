// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

/** When a batched copy may read its source, with the driver's words. */
public enum SrcAccessOrder {
    /** In the stream's order. */
    STREAM,
    /** Before the call returns: the source may be reused then. */
    DURING_API_CALL,
    /** At any time, even before earlier work of the stream. */
    ANY;

    int code() {
        return ordinal() + 1;
    }
}
