// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.lang.ref.Reference;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;

/**
 * Managed memory: the host and every device see it at one address. Getters ask the driver, there is
 * no copy of the advice.
 */
public final class ManagedBuffer extends Buffer {
    ManagedBuffer(long handle) {
        super(handle);
    }

    /**
     * Borrows managed memory of another allocator.
     *
     * @param address where it begins
     * @param bytes its length
     * @param owner kept reachable until the buffer and all work on it are done; may be null
     * @return a new buffer
     * @throws InvalidArgumentException where the driver says that it is no managed memory
     */
    public static ManagedBuffer fromHandle(long address, long bytes, Object owner) {
        return new ManagedBuffer(cmm.borrow(address, bytes, true, Owners.keep(owner)));
    }

    /**
     * Tells whether every page is advised as mostly read.
     *
     * @return true where it is
     */
    public boolean isReadMostly() {
        boolean is = cmm.getReadMostly(handle);
        Reference.reachabilityFence(this);
        return is;
    }

    /**
     * Advises that the data is mostly read, or takes that back.
     *
     * @param wanted whether it is
     * @return this buffer
     */
    public ManagedBuffer setReadMostly(boolean wanted) {
        cmm.setReadMostly(handle, wanted);
        Reference.reachabilityFence(this);
        return this;
    }

    /**
     * Where the memory would rather be.
     *
     * @return empty where no location is set, or where pages differ
     */
    public Optional<Location> preferredLocation() {
        long code = cmm.getPreferredLocation(handle);
        Reference.reachabilityFence(this);
        return Location.of(code);
    }

    /**
     * Advises where the memory would rather be.
     *
     * @param wanted any location; null takes the advice back
     * @return this buffer
     */
    public ManagedBuffer setPreferredLocation(Location wanted) {
        cmm.setPreferredLocation(handle, wanted == null ? 0 : wanted.code());
        Reference.reachabilityFence(this);
        return this;
    }

    /**
     * Where the memory was last prefetched to.
     *
     * @return empty where it never was, or where pages differ
     */
    public Optional<Location> lastPrefetchLocation() {
        long code = cmm.getLastPrefetchLocation(handle);
        Reference.reachabilityFence(this);
        return Location.of(code);
    }

    /**
     * Who has the memory mapped: a live set, asked of the driver at each use; adding and removing
     * is advice. Only devices and the host can be in it.
     *
     * @return the set
     */
    public Set<Location> accessedBy() {
        return new AccessedBySet(this);
    }

    /**
     * Makes {@link #accessedBy} exactly this: all are checked first, then only the differences
     * reach the driver, and what was changed is put back when it refuses one.
     *
     * @param wanted devices and the host
     * @return this buffer
     * @throws InvalidArgumentException for a NUMA node, and a device that is not there
     */
    public ManagedBuffer setAccessedBy(Collection<? extends Location> wanted) {
        cmm.assignAccessedBy(handle, Codes.locations(wanted, "setAccessedBy"));
        Reference.reachabilityFence(this);
        return this;
    }

    @Override
    public ManagedBuffer slice(long offset, long bytes) {
        return new ManagedBuffer(sliceHandle(offset, bytes));
    }

    /**
     * {@link Ops#advise(Buffer, Advice, Location)} for this buffer.
     *
     * @param advice what to advise
     * @param where the location
     * @return what became of it
     */
    public Report advise(Advice advice, Location where) {
        return Ops.advise(this, advice, where);
    }

    /**
     * {@link Ops#prefetch(Buffer, Location, Stream)} for this buffer.
     *
     * @param where the location
     * @param stream where it is ordered
     * @return what became of it
     */
    public Report prefetch(Location where, Stream stream) {
        return Ops.prefetch(this, where, stream);
    }

    /**
     * {@link Ops#discard(Buffer, Stream)} for this buffer.
     *
     * @param stream where it is ordered
     * @return what became of it
     */
    public Report discard(Stream stream) {
        return Ops.discard(this, stream);
    }

    /**
     * {@link Ops#discardPrefetch(Buffer, Location, Stream)} for this buffer.
     *
     * @param where the location
     * @param stream where it is ordered
     * @return what became of it
     */
    public Report discardPrefetch(Location where, Stream stream) {
        return Ops.discardPrefetch(this, where, stream);
    }
}
