// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.lang.ref.Reference;

/** A mark in a stream; {@link Stream#record} makes one. */
public final class Event extends NativeObject {
    Event(long handle) {
        super(handle);
    }

    /** Waits until the work before it has finished. */
    public void sync() {
        cmm.eventSync(handle);
        Reference.reachabilityFence(this);
    }

    /**
     * Tells whether the work before it has finished.
     *
     * @return true where it has
     */
    public boolean isDone() {
        boolean done = cmm.eventDone(handle);
        Reference.reachabilityFence(this);
        return done;
    }

    /**
     * Nanoseconds from an earlier event to this one; both made by {@link Stream#recordTiming}.
     *
     * @param earlier the other event
     * @return nanoseconds
     */
    public double nanosecondsSince(Event earlier) {
        double passed = cmm.eventNanosecondsSince(handle, earlier.handle);
        Reference.reachabilityFence(this);
        Reference.reachabilityFence(earlier);
        return passed;
    }

    /**
     * The driver's CUevent.
     *
     * @return its address
     */
    public long handle() {
        long address = cmm.eventRaw(handle);
        Reference.reachabilityFence(this);
        return address;
    }
}
