// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The driver refused a call, or there is no driver, or cmm itself made a mistake. */
public sealed class CmmException
    extends RuntimeException implements Failure permits OutOfMemoryException {
    private static final long serialVersionUID = 1L;

    private final FailureSite site;
    private final int code;
    private final String name;
    private final String entryPoint;
    private final long issued;

    CmmException(String message, FailureSite site, int code, String name, String entryPoint,
                 long issued) {
        super(message);
        this.site = site;
        this.code = code;
        this.name = name;
        this.entryPoint = entryPoint;
        this.issued = issued;
    }

    /**
     * The driver's result.
     *
     * @return the CUresult; empty where it was not the driver
     */
    public final OptionalInt code() {
        return code == 0 ? OptionalInt.empty() : OptionalInt.of(code);
    }

    /**
     * The result's name.
     *
     * @return such as "CUDA_ERROR_INVALID_VALUE"; empty where it was not the driver
     */
    public final Optional<String> codeName() {
        return name.isEmpty() ? Optional.empty() : Optional.of(name);
    }

    /**
     * The driver's entry point that was called.
     *
     * @return such as "cuMemPrefetchAsync"; empty where it was not the driver
     */
    public final Optional<String> entryPoint() {
        return entryPoint.isEmpty() ? Optional.empty() : Optional.of(entryPoint);
    }

    /**
     * How many runs of the operation had reached the driver before: moves stay issued, advice has
     * been taken back.
     *
     * @return a number of runs
     */
    public final long issued() {
        return issued;
    }

    @Override
    public final Kind kind() {
        return site.kind();
    }

    @Override
    public final Optional<String> argument() {
        return site.argumentIfAny();
    }

    @Override
    public final OptionalLong index() {
        return site.indexIfAny();
    }

    @Override
    public final OptionalLong otherIndex() {
        return site.otherIndexIfAny();
    }
}
