// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

/** Device memory, which the host cannot touch. */
public final class DeviceMemoryResource extends MemoryResource {
    /**
     * Makes a resource.
     *
     * @param device whose memory
     */
    public DeviceMemoryResource(Device device) {
        super(cmm.resourceDevice(device.ordinal()));
    }

    @Override
    public Buffer allocate(long bytes) {
        return new Buffer(allocateHandle(bytes));
    }
}
