// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes managed buffers. Direct: each is an allocation of the driver. Arena: page-aligned pieces of
 * large slabs; consecutive ones touch, so that operations on them merge.
 */
public final class ManagedMemoryResource extends MemoryResource {
    private ManagedMemoryResource(long handle) {
        super(handle);
    }

    /** A direct one for the current context's device, else device 0. */
    public ManagedMemoryResource() {
        this(cmm.resourceManaged(-1, Attach.GLOBAL.code));
    }

    /**
     * A direct one for the current context's device, else device 0.
     *
     * @return a new resource
     */
    public static ManagedMemoryResource create() {
        return new ManagedMemoryResource();
    }

    /**
     * A direct one for a device.
     *
     * @param device which
     * @return a new resource
     */
    public static ManagedMemoryResource create(Device device) {
        return create(device, Attach.GLOBAL);
    }

    /**
     * A direct one for a device.
     *
     * @param device which
     * @param attach who may touch the memory first
     * @return a new resource
     */
    public static ManagedMemoryResource create(Device device, Attach attach) {
        return new ManagedMemoryResource(cmm.resourceManaged(device.ordinal(), attach.code));
    }

    /**
     * An arena for the current context's device, else device 0, with slabs of 64 MiB and no limit.
     *
     * @return a new resource
     */
    public static ManagedMemoryResource arena() {
        return arena(ArenaOptions.DEFAULT);
    }

    /**
     * An arena.
     *
     * @param options how
     * @return a new resource
     */
    public static ManagedMemoryResource arena(ArenaOptions options) {
        int device = options.device().map(Device::ordinal).orElse(-1);
        return new ManagedMemoryResource(cmm.resourceArena(
            device, options.attach().code, options.slabBytes(), options.limitBytes()));
    }

    @Override
    public ManagedBuffer allocate(long bytes) {
        return new ManagedBuffer(allocateHandle(bytes));
    }

    /**
     * The same: managed memory is not allocated in stream order.
     *
     * @param bytes the length
     * @param stream not used
     * @return a new buffer
     */
    public ManagedBuffer allocate(long bytes, Stream stream) {
        return allocate(bytes);
    }

    /**
     * Allocates buffers that touch in the order given, all or none; from a direct resource, slices
     * of one allocation.
     *
     * @param sizes their lengths
     * @return new buffers
     */
    public List<ManagedBuffer> allocateBatch(long... sizes) {
        long[] wanted = sizes.clone();
        for (int i = 0; i < wanted.length; i++)
            if (wanted[i] < 0)
                throw new InvalidArgumentException(
                    "allocateBatch: sizes[" + i + "]: " + wanted[i] + " is no number of bytes",
                    new FailureSite(Failure.Kind.INVALID_ARGUMENT, "sizes", i, -1));
        long[] handles = Collector.retrying(() -> cmm.resourceAllocateBatch(handle, wanted));
        Reference.reachabilityFence(this);
        List<ManagedBuffer> made = new ArrayList<>(handles.length);
        for (long each : handles)
            made.add(new ManagedBuffer(each));
        return made;
    }

    /**
     * Tells whether it is an arena.
     *
     * @return true where it is
     */
    public boolean isArena() {
        boolean is = cmm.resourceIsArena(handle);
        Reference.reachabilityFence(this);
        return is;
    }

    /**
     * The device that it allocates for.
     *
     * @return the device
     */
    public Device device() {
        int ordinal = cmm.resourceDeviceOrdinal(handle);
        Reference.reachabilityFence(this);
        return Device.of(ordinal);
    }

    /**
     * What an arena holds; zeros for a direct resource.
     *
     * @return the numbers now
     */
    public ArenaStatistics stats() {
        long[] numbers = cmm.resourceStats(handle);
        Reference.reachabilityFence(this);
        return ArenaStatistics.of(numbers);
    }

    /**
     * Gives wholly free slabs back to the driver.
     *
     * @return bytes given back
     */
    public long trim() {
        long bytes = cmm.resourceTrim(handle);
        Reference.reachabilityFence(this);
        return bytes;
    }
}
