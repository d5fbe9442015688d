// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.io.Serializable;
import java.util.Optional;
import java.util.OptionalLong;

/** What a failure is about, without what serialization cannot have. -1: no index. */
record FailureSite(Failure.Kind kind, String argument, long index, long otherIndex)
    implements Serializable {
    Optional<String> argumentIfAny() {
        return argument.isEmpty() ? Optional.empty() : Optional.of(argument);
    }

    OptionalLong indexIfAny() {
        return index < 0 ? OptionalLong.empty() : OptionalLong.of(index);
    }

    OptionalLong otherIndexIfAny() {
        return otherIndex < 0 ? OptionalLong.empty() : OptionalLong.of(otherIndex);
    }
}
