// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A range of memory. From a resource, or borrowed of another owner, or a slice of another buffer.
 * The memory goes back once work in flight, slices and host views are done with it.
 */
public sealed class Buffer extends NativeObject permits ManagedBuffer {
    Buffer(long handle) {
        super(handle);
    }

    /**
     * Borrows memory of any kind that something else owns. It must be valid until the buffer and
     * all work on it are done.
     *
     * @param address where it begins
     * @param bytes its length
     * @param owner kept reachable until the buffer and all work on it are done; may be null
     * @return a new buffer
     * @throws InvalidArgumentException for a range that wraps, or address 0 with bytes
     */
    public static Buffer fromHandle(long address, long bytes, Object owner) {
        return new Buffer(cmm.borrow(address, bytes, false, Owners.keep(owner)));
    }

    /**
     * The address.
     *
     * @return where it begins
     */
    public final long address() {
        long address = cmm.bufferAddress(handle);
        Reference.reachabilityFence(this);
        return address;
    }

    /**
     * The length.
     *
     * @return bytes
     */
    public final long size() {
        long bytes = cmm.bufferBytes(handle);
        Reference.reachabilityFence(this);
        return bytes;
    }

    /**
     * What memory it is; for borrowed memory the driver is asked.
     *
     * @return the kind
     */
    public final MemoryKind kind() {
        int kind = cmm.bufferKind(handle);
        Reference.reachabilityFence(this);
        return MemoryKind.of(kind);
    }

    /**
     * Tells whether it is managed memory.
     *
     * @return true where it is
     */
    public final boolean isManaged() {
        return kind() == MemoryKind.MANAGED;
    }

    /**
     * The device that it was allocated for, or that the driver names.
     *
     * @return the device
     */
    public final Device device() {
        int ordinal = cmm.bufferDevice(handle);
        Reference.reachabilityFence(this);
        return Device.of(ordinal);
    }

    /**
     * A part of it, as a buffer that keeps the memory alive.
     *
     * @param offset where the part begins
     * @param bytes its length
     * @return a new buffer
     * @throws InvalidArgumentException where the part is not inside
     */
    public Buffer slice(long offset, long bytes) {
        return new Buffer(sliceHandle(offset, bytes));
    }

    final long sliceHandle(long offset, long bytes) {
        long slice = cmm.bufferSlice(handle, offset, bytes);
        Reference.reachabilityFence(this);
        return slice;
    }

    /**
     * The whole buffer on the host, in native byte order. The ByteBuffer, and all that it gives
     * out, keep the memory alive: closing the buffer puts the free off until they are unreachable.
     * Where Java has
     * {@code java.lang.foreign}, {@code MemorySegment.ofBuffer} of it does the same.
     *
     * @return a direct ByteBuffer
     * @throws UnsupportedOperationException for device memory, and for more than 2 GiB
     */
    public final ByteBuffer asByteBuffer() {
        long bytes = size();
        if (bytes > Integer.MAX_VALUE)
            throw new UnsupportedOperationException(
                "asByteBuffer: " + bytes +
                (" bytes are more than a ByteBuffer can hold; take parts by asByteBuffer(offset, " +
                 "bytes)"));
        return HostView.byteBuffer(this, 0, (int) bytes);
    }

    /**
     * A part of the buffer on the host, as {@link #asByteBuffer()}.
     *
     * @param offset where the part begins
     * @param bytes its length
     * @return a direct ByteBuffer
     */
    public final ByteBuffer asByteBuffer(long offset, int bytes) {
        return HostView.byteBuffer(this, offset, bytes);
    }

    /**
     * How many host views of the allocation are alive.
     *
     * @return a number of views
     */
    public final int views() {
        int views = cmm.bufferViews(handle);
        Reference.reachabilityFence(this);
        return views;
    }

    /**
     * Copies this buffer to another one of the same size, in stream order.
     *
     * @param to the destination
     * @param stream where
     * @return what became of it
     */
    public final Report copyTo(Buffer to, Stream stream) {
        return Copies.copyBatch(stream, List.of(this), List.of(to));
    }

    /**
     * Copies another buffer of the same size to this one, in stream order.
     *
     * @param from the source
     * @param stream where
     * @return what became of it
     */
    public final Report copyFrom(Buffer from, Stream stream) {
        return from.copyTo(this, stream);
    }

    /**
     * Closes the buffer, and breaks the plans that were made with it. Closing twice does nothing.
     */
    @Override
    public final void close() {
        cmm.bufferClose(handle);
        super.close();
        Owners.dropReleased();
    }

    /**
     * The same, behind the work that a stream holds now: for work that cmm did not issue.
     *
     * @param stream whose work to wait for before the memory goes back
     */
    public final void close(Stream stream) {
        cmm.bufferCloseAfter(handle, stream.code());
        Reference.reachabilityFence(stream);
        close();
    }

    @Override
    public String toString() {
        String name = getClass().getSimpleName();
        try {
            return name + "(0x" + Long.toHexString(address()) + ", " + size() + " bytes)";
        } catch (ClosedException e) {
            return name + "(closed)";
        }
    }
}
