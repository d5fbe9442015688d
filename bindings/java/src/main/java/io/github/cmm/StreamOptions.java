// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.util.Objects;
import java.util.Optional;

/**
 * How a stream is made.
 *
 * @param device whose stream; empty: the current context's, else device 0
 * @param priority lower is more urgent
 * @param blocking whether it synchronises with the legacy stream
 */
public record StreamOptions(Optional<Device> device, int priority, boolean blocking) {
    /** What streams without options have. */
    public static final StreamOptions DEFAULT = new StreamOptions(Optional.empty(), 0, false);

    /** The device may be empty but not null. */
    public StreamOptions {
        Objects.requireNonNull(device, "device");
    }

    /**
     * The same on a device.
     *
     * @param wanted the device
     * @return new options
     */
    public StreamOptions withDevice(Device wanted) {
        return new StreamOptions(Optional.of(wanted), priority, blocking);
    }

    /**
     * The same with another priority.
     *
     * @param wanted the priority
     * @return new options
     */
    public StreamOptions withPriority(int wanted) {
        return new StreamOptions(device, wanted, blocking);
    }

    /**
     * The same, synchronising with the legacy stream or not.
     *
     * @param wanted whether it does
     * @return new options
     */
    public StreamOptions withBlocking(boolean wanted) {
        return new StreamOptions(device, priority, wanted);
    }
}
