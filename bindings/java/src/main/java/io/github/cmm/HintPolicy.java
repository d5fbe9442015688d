// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

/** What a hint that this machine cannot honour does. */
public enum HintPolicy {
    /**
     * Strict for what was asked by name, a warning for overlap modes, nothing for location hints
     * of copies.
     */
    DEFAULT,
    /** An exception. */
    STRICT,
    /** A warning, once. */
    WARN,
    /** Nothing. */
    IGNORE;

    private static final HintPolicy[] ALL = values();

    static HintPolicy of(int code) {
        return ALL[code];
    }
}
