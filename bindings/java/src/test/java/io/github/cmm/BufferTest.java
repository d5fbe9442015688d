// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

class BufferTest {
    private final ManagedMemoryResource resource = ManagedMemoryResource.create();

    @Test
    void aBufferTellsWhatItIs() {
        try (var b = resource.allocate(65536)) {
            assertEquals(65536, b.size());
            assertTrue(b.address() != 0);
            assertEquals(MemoryKind.MANAGED, b.kind());
            assertTrue(b.isManaged());
            assertEquals(Device.of(0), b.device());
            assertEquals(Device.of(0), resource.device());
            assertFalse(b.isClosed());
            assertTrue(b.toString().contains("65536 bytes"), b.toString());
        }
        try (var p = new PinnedMemoryResource(); var pinned = p.allocate(4096);
             var d = new DeviceMemoryResource(Device.of(0)); var device = d.allocate(4096)) {
            assertEquals(MemoryKind.PINNED, pinned.kind());
            assertEquals(MemoryKind.DEVICE, device.kind());
            assertThrows(NotSupportedException.class, device::asByteBuffer);
        }
    }

    @Test
    void closingIsIdempotentAndUseAfterCloseIsAnError() {
        var b = resource.allocate(4096);
        b.close();
        b.close();
        assertTrue(b.isClosed());
        assertThrows(ClosedException.class, b::size);
        assertThrows(IllegalStateException.class, b::asByteBuffer);
        assertThrows(ClosedException.class, () -> b.slice(0, 1));
        assertEquals("ManagedBuffer(closed)", b.toString());
    }

    @Test
    void aByteBufferSeesTheMemoryAndOutlivesClose() throws InterruptedException {
        var b = resource.allocate(4096);
        ByteBuffer view = b.asByteBuffer();
        assertTrue(view.isDirect());
        assertEquals(4096, view.capacity());
        assertEquals(ByteOrder.nativeOrder(), view.order());
        view.putLong(8, 42);
        try (var slice = b.slice(8, 8)) {
            assertEquals(42, slice.asByteBuffer().getLong(0));
        }
        assertEquals(42, b.asByteBuffer(8, 8).getLong(0));
        b.close();
        view.putLong(16, 43);
        assertEquals(43, view.getLong(16));
    }

    @Test
    void whatAByteBufferGivesOutKeepsTheMemory() throws InterruptedException {
        var b = resource.allocate(4096);
        ByteBuffer part = b.asByteBuffer().slice(8, 8).duplicate();
        var longs = b.asByteBuffer().asLongBuffer().slice(2, 1);
        Eventually.collected(() -> b.views() < 2);
        assertEquals(2, b.views());
        b.close();
        part.put(0, (byte) 1);
        longs.put(0, 5);
        assertEquals(5, longs.get(0));
    }

    @Test
    void unreachableByteBuffersEndTheirViews() throws InterruptedException {
        try (var b = resource.allocate(4096)) {
            for (int i = 0; i < 10; i++)
                b.asByteBuffer().put(0, (byte) i);
            assertTrue(Eventually.collected(() -> b.views() == 0));
        }
    }

    @Test
    void partsOutsideAreRefused() {
        try (var b = resource.allocate(4096)) {
            assertThrows(InvalidArgumentException.class, () -> b.asByteBuffer(-1, 1));
            assertThrows(InvalidArgumentException.class, () -> b.asByteBuffer(0, 4097));
            assertThrows(InvalidArgumentException.class, () -> b.asByteBuffer(0, -1));
            assertThrows(InvalidArgumentException.class,
                         () -> b.asByteBuffer(Long.MAX_VALUE, Integer.MAX_VALUE));
            assertThrows(InvalidArgumentException.class, () -> b.slice(4096, 1));
            assertThrows(InvalidArgumentException.class, () -> b.slice(-1, 1));
            assertEquals(0, b.asByteBuffer(4096, 0).capacity());
            assertEquals(0, b.views());
        }
        assertThrows(InvalidArgumentException.class, () -> resource.allocate(-1));
    }

    @Test
    void aBorrowedBufferKeepsItsOwner() throws InterruptedException {
        try (var b = resource.allocate(4096)) {
            var owner = new java.lang.ref.WeakReference<>(new Object());
            var borrowed = ManagedBuffer.fromHandle(b.address(), 4096, owner.get());
            System.gc();
            Thread.sleep(50);
            System.gc();
            assertTrue(owner.get() != null);
            borrowed.close();
            Driver.drain();
            assertTrue(Eventually.collected(() -> owner.get() == null));
        }
        var direct = ByteBuffer.allocateDirect(64);
        assertThrows(InvalidArgumentException.class, () -> ManagedBuffer.fromHandle(0, 64, direct));
        assertThrows(InvalidArgumentException.class, () -> Buffer.fromHandle(-8, 64, direct));
    }

    @Test
    void adviceRoundTrips() {
        try (var b = resource.allocate(65536)) {
            assertTrue(b.setReadMostly(true).isReadMostly());
            assertFalse(b.setReadMostly(false).isReadMostly());
            assertEquals(Device.of(0),
                         b.setPreferredLocation(Device.of(0)).preferredLocation().orElseThrow());
            assertTrue(b.setPreferredLocation(null).preferredLocation().isEmpty());
            assertTrue(b.lastPrefetchLocation().isEmpty());
        }
    }

    @Test
    void accessedByIsALiveSet() {
        try (var b = resource.allocate(65536)) {
            var set = b.accessedBy();
            assertTrue(set.isEmpty());
            assertTrue(set.add(Device.of(0)));
            assertFalse(set.add(Device.of(0)));
            assertTrue(b.accessedBy().contains(Device.of(0)));
            assertFalse(set.contains(Device.of(70)));
            assertFalse(set.contains("device:0"));
            assertTrue(set.addAll(List.of(Host.any(), Device.of(0))));
            assertEquals(2, set.size());
            assertEquals("[device:0, host]", set.toString());
            assertTrue(set.remove(Host.any()));
            assertFalse(set.remove(Host.any()));
            assertTrue(set.removeIf(l -> l instanceof Device));
            assertTrue(set.isEmpty());
            b.setAccessedBy(List.of(Device.of(0)));
            assertThrows(InvalidArgumentException.class, () -> set.add(Host.numa(0)));
            assertThrows(NullPointerException.class, () -> set.add(null));
            assertTrue(set.retainAll(List.of()));
            set.clear();
            assertTrue(set.isEmpty());
        }
    }

    @Test
    void anArenasNeighboursTouch() {
        try (var arena = ManagedMemoryResource.arena(ArenaOptions.DEFAULT.withSlabBytes(2 << 20))) {
            assertTrue(arena.isArena());
            List<ManagedBuffer> made = arena.allocateBatch(4096, 4096, 4096);
            assertEquals(made.get(0).address() + 4096, made.get(1).address());
            assertEquals(3, arena.stats().pieces());
            made.forEach(Buffer::close);
            Driver.drain();
            assertTrue(arena.trim() >= 2 << 20);
            assertThrows(InvalidArgumentException.class, () -> arena.allocateBatch(4096, -1));
        }
    }
}
