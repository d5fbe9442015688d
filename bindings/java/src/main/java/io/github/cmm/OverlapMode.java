// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

/** Whether a copy would rather run beside kernels, with the driver's words. */
public enum OverlapMode {
    /** As ever. */
    STANDARD,
    /** Beside kernels, on integrated GPUs. */
    PREFER_OVERLAP_WITH_COMPUTE
}
