// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.util.Optional;

/** A GPU, by its ordinal. A value: there need be no such device until it is used. */
public final class Device extends Location {
    private static final Device[] FIRST = new Device[64];

    static {
        for (int i = 0; i < FIRST.length; i++)
            FIRST[i] = new Device(i);
    }

    private Device(int ordinal) {
        super(DEVICE, ordinal);
    }

    /**
     * Names a device.
     *
     * @param ordinal as the driver counts, from 0
     * @return the device
     * @throws InvalidArgumentException for a negative ordinal
     */
    public static Device of(int ordinal) {
        if (ordinal < 0)
            throw new InvalidArgumentException(
                "device: " + ordinal + " is no ordinal; allowed are 0 to 2147483647", "ordinal");
        return ordinal < FIRST.length ? FIRST[ordinal] : new Device(ordinal);
    }

    /**
     * Counts the devices of this machine.
     *
     * @return how many there are
     */
    public static int count() {
        return cmm.devices();
    }

    /**
     * Tells which device it is.
     *
     * @return its ordinal
     */
    public int ordinal() {
        return id;
    }

    /**
     * Asks the driver for its name.
     *
     * @return such as "NVIDIA H200"
     */
    public String name() {
        return cmm.deviceName(id);
    }

    /**
     * Asks the driver for its memory.
     *
     * @return free and all bytes
     */
    public Memory memory() {
        long[] bytes = cmm.deviceMemory(id);
        return new Memory(bytes[0], bytes[1]);
    }

    /**
     * Makes the device's primary context the calling thread's current one, as cudaSetDevice does.
     */
    public void makeCurrent() {
        cmm.makeCurrent(id);
    }

    /**
     * Tells whether an operation works on this device with this driver.
     *
     * @param operation which
     * @return true where it does
     */
    public boolean supports(Operation operation) {
        return whyNot(operation).isEmpty();
    }

    /**
     * Tells why an operation does not work.
     *
     * @param operation which
     * @return the reason; empty where it works
     */
    public Optional<String> whyNot(Operation operation) {
        String why = cmm.unsupportedReason(id, operation.ordinal() + 1);
        return why.isEmpty() ? Optional.empty() : Optional.of(why);
    }

    @Override
    public String toString() {
        return "device:" + id;
    }

    /**
     * A device's memory.
     *
     * @param freeBytes what can still be had
     * @param totalBytes all of it
     */
    public record Memory(long freeBytes, long totalBytes) {
    }
}
