// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.lang.ref.Reference;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** The live set of {@link ManagedBuffer#accessedBy}. */
final class AccessedBySet extends AbstractSet<Location> {
    private final ManagedBuffer buffer;

    AccessedBySet(ManagedBuffer buffer) {
        this.buffer = buffer;
    }

    /** A bit per device, and whether the host is in it. */
    private long[] now() {
        long[] bits = cmm.getAccessedBy(buffer.handle);
        Reference.reachabilityFence(buffer);
        return bits;
    }

    /** As they are now: devices by ordinal, then the host. */
    private List<Location> items() {
        long[] bits = now();
        List<Location> items = new ArrayList<>();
        for (long left = bits[0]; left != 0; left &= left - 1)
            items.add(Device.of(Long.numberOfTrailingZeros(left)));
        if (bits[1] != 0)
            items.add(Host.any());
        return items;
    }

    private static boolean isIn(long[] bits, Object item) {
        if (item instanceof Device d)
            return d.ordinal() < Long.SIZE && (bits[0] >>> d.ordinal() & 1) != 0;
        return bits[1] != 0 && Host.any().equals(item);
    }

    @Override
    public int size() {
        long[] bits = now();
        return Long.bitCount(bits[0]) + (int) bits[1];
    }

    @Override
    public boolean contains(Object item) {
        return isIn(now(), item);
    }

    @Override
    public boolean add(Location item) {
        if (isIn(now(), Objects.requireNonNull(item, "accessedBy: null is no location")))
            return false;
        cmm.addAccessedBy(buffer.handle, item.code());
        Reference.reachabilityFence(buffer);
        return true;
    }

    @Override
    public boolean remove(Object item) {
        if (!isIn(now(), item))
            return false;
        cmm.discardAccessedBy(buffer.handle, ((Location) item).code());
        Reference.reachabilityFence(buffer);
        return true;
    }

    @Override
    public boolean addAll(Collection<? extends Location> items) {
        return assign(items, Set::addAll);
    }

    @Override
    public boolean removeAll(Collection<?> items) {
        return assign(items, Set::removeAll);
    }

    @Override
    public boolean retainAll(Collection<?> items) {
        return assign(items, Set::retainAll);
    }

    @Override
    public void clear() {
        buffer.setAccessedBy(List.of());
    }

    private interface Change<T> {
        boolean apply(Set<Location> to, Collection<? extends T> items);
    }

    /** One assignment for many elements: all of them or none. */
    private <T> boolean assign(Collection<? extends T> items, Change<T> change) {
        Set<Location> wanted = new LinkedHashSet<>(items());
        boolean changed = change.apply(wanted, items);
        if (changed)
            buffer.setAccessedBy(wanted);
        return changed;
    }

    /** Goes over the set as it is now; remove() works on the live one. */
    @Override
    public Iterator<Location> iterator() {
        Iterator<Location> each = items().iterator();
        return new Iterator<>() {
            private Location last;

            @Override
            public boolean hasNext() {
                return each.hasNext();
            }

            @Override
            public Location next() {
                return last = each.next();
            }

            @Override
            public void remove() {
                if (last == null)
                    throw new IllegalStateException("remove() comes once after next()");
                AccessedBySet.this.remove(last);
                last = null;
            }
        };
    }
}
