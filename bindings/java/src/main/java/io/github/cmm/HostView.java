// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A buffer's bytes on the host: keeps the memory until it is closed. */
final class HostView extends NativeObject {
    private HostView(long handle) {
        super(handle);
    }

    static HostView of(Buffer buffer) {
        HostView view = new HostView(cmm.viewOpen(buffer.handle));
        Reference.reachabilityFence(buffer);
        return view;
    }

    long bytes() {
        long bytes = cmm.viewBytes(handle);
        Reference.reachabilityFence(this);
        return bytes;
    }

    /**
     * A ByteBuffer that has a view of its own: what it gives out, slices and the like, refers to
     * it.
     */
    static ByteBuffer byteBuffer(Buffer buffer, long offset, int bytes) {
        long view = cmm.viewOpen(buffer.handle);
        Reference.reachabilityFence(buffer);
        ByteBuffer out;
        try {
            if (offset < 0 || bytes < 0 || offset > cmm.viewBytes(view) - bytes)
                throw new InvalidArgumentException("asByteBuffer: [" + offset + ", +" + bytes +
                                                       ") is not inside the " +
                                                       cmm.viewBytes(view) + " bytes of the buffer",
                                                   offset < 0 ? "offset" : "bytes");
            if (bytes == 0) {
                cmm.close(view);
                return ByteBuffer.allocateDirect(0).order(ByteOrder.nativeOrder());
            }
            out = cmm.asByteBuffer(cmm.viewAddress(view) + offset, bytes);
        } catch (Throwable t) {
            cmm.close(view);
            throw t;
        }
        whenUnreachable(out, view);
        return out.order(ByteOrder.nativeOrder());
    }
}
