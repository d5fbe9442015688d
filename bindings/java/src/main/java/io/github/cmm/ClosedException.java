// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.util.Optional;
import java.util.OptionalLong;

/** The object was closed before. Nothing has been changed. */
public final class ClosedException extends IllegalStateException implements Failure {
    private static final long serialVersionUID = 1L;

    private final FailureSite site;

    ClosedException(String message, FailureSite site) {
        super(message);
        this.site = site;
    }

    @Override
    public Kind kind() {
        return site.kind();
    }

    @Override
    public Optional<String> argument() {
        return site.argumentIfAny();
    }

    @Override
    public OptionalLong index() {
        return site.indexIfAny();
    }

    @Override
    public OptionalLong otherIndex() {
        return site.otherIndexIfAny();
    }
}
