// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.util.Optional;
import java.util.OptionalLong;

/** A value that no machine accepts. Nothing has been changed. */
public final class InvalidArgumentException extends IllegalArgumentException implements Failure {
    private static final long serialVersionUID = 1L;

    private final FailureSite site;

    InvalidArgumentException(String message, FailureSite site) {
        super(message);
        this.site = site;
    }

    InvalidArgumentException(String message, String argument) {
        this(message, new FailureSite(Kind.INVALID_ARGUMENT, argument, -1, -1));
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
