// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.util.Optional;
import java.util.OptionalLong;

/** What every exception of cmm says. Each is also of the class that Java has for its kind. */
public interface Failure {
    /**
     * What a caller can do about it.
     *
     * @return the kind
     */
    Kind kind();

    /**
     * The argument that is to blame.
     *
     * @return its name; empty where none is
     */
    Optional<String> argument();

    /**
     * The element of the argument that is to blame.
     *
     * @return its index; empty where there is none
     */
    OptionalLong index();

    /**
     * The second element, where two contradict each other.
     *
     * @return its index; empty where there is none
     */
    OptionalLong otherIndex();

    /** The kinds of failures. */
    enum Kind {
        /** A value that no machine accepts: {@link InvalidArgumentException}. */
        INVALID_ARGUMENT,
        /** This driver, device or mode cannot do it: {@link NotSupportedException}. */
        NOT_SUPPORTED,
        /** The object was closed before: {@link ClosedException}. */
        CLOSED,
        /** No driver could be loaded: {@link CmmException}. */
        DRIVER_MISSING,
        /** The driver refused a call: {@link CmmException}. */
        DRIVER,
        /** The driver is out of memory: {@link OutOfMemoryException}. */
        OUT_OF_MEMORY,
        /** A mistake in cmm itself: {@link CmmException}. */
        INTERNAL;

        private static final Kind[] ALL = values();

        static Kind of(int code) {
            return ALL[code - 1];
        }
    }
}
