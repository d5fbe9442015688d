// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class LifetimeTest {
    private final ManagedMemoryResource resource = ManagedMemoryResource.create();

    @Test
    void unreachableBuffersGoBack() throws InterruptedException {
        Sim.required();
        Driver.drain();
        long before = Sim.managedAllocations();
        for (int i = 0; i < 100; i++)
            resource.allocate(4096);
        assertTrue(Eventually.collected(() -> {
            Driver.drain();
            return Sim.managedAllocations() <= before;
        }));
    }

    @Test
    void workInFlightKeepsItsBuffers() throws InterruptedException {
        Sim.required();
        try (var stream = Stream.create()) {
            Sim.hold();
            Ops.prefetch(List.of(resource.allocate(65536), resource.allocate(65536)), Device.of(0),
                         stream);
            System.gc();
            Thread.sleep(100);
            resource.allocate(4096).close();
            Sim.release();
            stream.sync();
            Driver.drain();
            assertEquals(0, Sim.useAfterFreeCount());
        } finally {
            Sim.release();
        }
    }

    @Test
    void aStreamMayBeClosedWithWorkInIt() {
        var stream = Stream.create();
        var buffer = resource.allocate(1 << 20);
        buffer.prefetch(Device.of(0), stream);
        stream.close();
        buffer.close();
        Driver.drain();
        assertThrows(ClosedException.class, stream::sync);
    }

    @Test
    void closingBehindAStreamWaitsForItsWork() {
        try (var stream = Stream.create()) {
            var buffer = resource.allocate(65536);
            buffer.close(stream);
            assertTrue(buffer.isClosed());
            stream.sync();
        }
    }

    @Test
    void aBufferOutlivesItsResource() {
        var arena = ManagedMemoryResource.arena();
        var buffer = arena.allocate(4096);
        arena.close();
        buffer.asByteBuffer().put(0, (byte) 3);
        assertEquals(3, buffer.asByteBuffer().get(0));
        buffer.close();
    }
}
