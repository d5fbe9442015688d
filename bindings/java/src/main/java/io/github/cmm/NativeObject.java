// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;

/** What stands for an object of the core: by a handle, which is stale once the object is closed. */
abstract sealed class NativeObject
    implements AutoCloseable permits Buffer, Event, HostView, MemoryResource, Plan, Stream.Own {
    static final Cleaner CLEANER = Cleaner.create();

    final long handle;
    private final Cleaner.Cleanable cleanable;

    NativeObject(long handle) {
        this.handle = handle;
        this.cleanable = whenUnreachable(this, handle);
    }

    /** Closes `handle` once `object` is unreachable, or at once where that cannot be arranged. */
    static Cleaner.Cleanable whenUnreachable(Object object, long handle) {
        try {
            return CLEANER.register(object, new Closing(handle));
        } catch (Throwable t) {
            cmm.close(handle);
            throw t;
        }
    }

    /** Closes the object. Closing twice does nothing. */
    @Override
    public void close() {
        cleanable.clean();
    }

    /**
     * Tells whether the object has been closed.
     *
     * @return true once it is closed
     */
    public final boolean isClosed() {
        boolean open = cmm.isOpen(handle);
        Reference.reachabilityFence(this);
        return !open;
    }

    /** Holds no reference to the object. */
    private record Closing(long handle) implements Runnable {
        @Override
        public void run() {
            cmm.close(handle);
        }
    }
}
