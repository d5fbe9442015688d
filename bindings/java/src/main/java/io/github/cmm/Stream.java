// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.lang.ref.Reference;

/**
 * A stream: one of cmm's own, the driver's default streams, or a foreign one. Closing a stream with
 * work in it lets the work finish.
 */
public final class Stream implements AutoCloseable {
    private static final Stream LEGACY = new Stream(null, ~0L);
    private static final Stream PER_THREAD = new Stream(null, ~2L);

    private final Own own; // null: foreign
    private final long code;

    private Stream(Own own, long code) {
        this.own = own;
        this.code = code;
    }

    /**
     * Makes a stream on the current context's device, else on device 0.
     *
     * @return a new stream
     */
    public static Stream create() {
        return create(StreamOptions.DEFAULT);
    }

    /**
     * Makes a stream on a device.
     *
     * @param device where
     * @return a new stream
     */
    public static Stream create(Device device) {
        return create(StreamOptions.DEFAULT.withDevice(device));
    }

    /**
     * Makes a stream.
     *
     * @param options how
     * @return a new stream
     */
    public static Stream create(StreamOptions options) {
        int device = options.device().map(Device::ordinal).orElse(-1);
        long handle = cmm.streamCreate(device, options.priority(), options.blocking());
        return new Stream(new Own(handle), handle);
    }

    /**
     * The legacy default stream.
     *
     * @return that stream
     */
    public static Stream legacy() {
        return LEGACY;
    }

    /**
     * The default stream of the thread that uses it.
     *
     * @return that stream
     */
    public static Stream perThread() {
        return PER_THREAD;
    }

    /**
     * Names a stream of someone else, which must exist whenever it is used: a CUstream or
     * cudaStream_t. Closing it does nothing.
     *
     * @param handle the address; 0 and 1 are the legacy stream, 2 is the per-thread one
     * @return the stream
     * @throws InvalidArgumentException for what is no address
     */
    public static Stream ofHandle(long handle) {
        if (handle < 0)
            throw new InvalidArgumentException("stream: " + handle + " is no address of a stream",
                                               "handle");
        return new Stream(null, ~handle);
    }

    /** As it crosses to native code. Keep the stream reachable meanwhile. */
    long code() {
        return code;
    }

    /**
     * The driver's CUstream.
     *
     * @return its address
     */
    public long handle() {
        return own == null ? ~code : own.ask(cmm::streamRaw);
    }

    /** Waits for all work in the stream. Throws {@link CmmException} for a failure of that work. */
    public void sync() {
        cmm.streamSync(code);
        Reference.reachabilityFence(this);
    }

    /**
     * Tells whether all work in it has finished.
     *
     * @return true where it has
     */
    public boolean isDone() {
        return own("isDone").ask(h -> cmm.streamDone(h) ? 1 : 0) != 0;
    }

    /**
     * Makes later work of this stream wait for an event.
     *
     * @param event what to wait for
     */
    public void waitFor(Event event) {
        own("waitFor").run(h -> cmm.streamWaitEvent(h, event.handle));
        Reference.reachabilityFence(event);
    }

    /**
     * Makes later work of this stream wait for what is in another one now.
     *
     * @param other what to wait for
     */
    public void waitFor(Stream other) {
        own("waitFor").run(h -> cmm.streamWaitStream(h, other.code));
        Reference.reachabilityFence(other);
    }

    /**
     * Records an event behind the work that is in the stream now.
     *
     * @return a new event
     */
    public Event record() {
        return event(false);
    }

    /**
     * The same, for {@link Event#nanosecondsSince}.
     *
     * @return a new event
     */
    public Event recordTiming() {
        return event(true);
    }

    private Event event(boolean timing) {
        Event made = new Event(cmm.eventRecord(code, timing));
        Reference.reachabilityFence(this);
        return made;
    }

    /**
     * Its priority: lower is more urgent.
     *
     * @return the driver's number
     */
    public int priority() {
        return (int) own("priority").ask(cmm::streamPriority);
    }

    /**
     * The device that it is on.
     *
     * @return the device
     */
    public Device device() {
        return Device.of((int) own("device").ask(cmm::streamDevice));
    }

    /**
     * Tells whether it is being captured.
     *
     * @return true where it is
     */
    public boolean isCapturing() {
        return own("isCapturing").ask(h -> cmm.streamCapturing(h) ? 1 : 0) != 0;
    }

    /**
     * Tells whether it has been closed.
     *
     * @return true for a closed stream of cmm; a foreign one is never closed here
     */
    public boolean isClosed() {
        return own != null && own.isClosed();
    }

    /** Closes a stream of cmm; work in it finishes. */
    @Override
    public void close() {
        if (own != null)
            own.close();
    }

    @Override
    public String toString() {
        if (own == null)
            return code == LEGACY.code ? "Stream(legacy)"
            : code == PER_THREAD.code  ? "Stream(per_thread)"
                                       : "Stream(0x" + Long.toHexString(~code) + ")";
        return isClosed() ? "Stream(closed)" : "Stream(#" + Long.toHexString(code) + ")";
    }

    private Own own(String question) {
        if (own == null)
            throw new UnsupportedOperationException(
                question + " works for cmm's own streams; ask the owner of " + this);
        return own;
    }

    interface Asking {
        long of(long handle);
    }

    interface Running {
        void with(long handle);
    }

    /** What stands for a stream that cmm made. */
    static final class Own extends NativeObject {
        Own(long handle) {
            super(handle);
        }

        long ask(Asking question) {
            long answer = question.of(handle);
            Reference.reachabilityFence(this);
            return answer;
        }

        void run(Running action) {
            action.with(handle);
            Reference.reachabilityFence(this);
        }
    }
}
