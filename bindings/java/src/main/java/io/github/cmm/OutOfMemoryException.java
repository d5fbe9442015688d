// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

/** The driver is out of memory, also after unreachable buffers were collected. */
public final class OutOfMemoryException extends CmmException {
    private static final long serialVersionUID = 1L;

    OutOfMemoryException(String message, FailureSite site, int code, String name, String entryPoint,
                         long issued) {
        super(message, site, code, name, entryPoint, issued);
    }
}
