// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

/** Makes exceptions of the core's error records; native code calls it. */
final class Errors {
    private Errors() {
    }

    static RuntimeException make(int kind, String message, String argument, long index,
                                 long otherIndex, int code, String name, String entryPoint,
                                 long issued) {
        FailureSite site = new FailureSite(Failure.Kind.of(kind), argument, index, otherIndex);
        return switch (site.kind()) {
            case INVALID_ARGUMENT -> new InvalidArgumentException(message, site);
            case NOT_SUPPORTED -> new NotSupportedException(message, site);
            case CLOSED -> new ClosedException(message, site);
            case OUT_OF_MEMORY ->
                new OutOfMemoryException(message, site, code, name, entryPoint, issued);
            case DRIVER_MISSING, DRIVER, INTERNAL ->
                new CmmException(message, site, code, name, entryPoint, issued);
        };
    }
}
