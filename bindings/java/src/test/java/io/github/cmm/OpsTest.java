// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OpsTest {
    private ManagedMemoryResource resource;
    private Stream stream;

    @BeforeEach
    void open() {
        resource = ManagedMemoryResource.create();
        stream = Stream.create();
    }

    @AfterEach
    void close() {
        stream.close();
        resource.close();
    }

    @Test
    void oneLocationBroadcastsAndListsPair() {
        try (var a = resource.allocate(65536); var b = resource.allocate(65536)) {
            Report did = Ops.prefetch(List.of(a, b), Device.of(0), stream);
            assertEquals(2, did.rangesIn());
            assertEquals(131072, did.bytes());
            assertTrue(did.entry().startsWith("cuMemPrefetch"), did.entry());
            Ops.prefetch(List.of(a, b), List.of(Host.any(), Device.of(0)), stream);
            stream.sync();
            assertEquals(Host.any(), a.lastPrefetchLocation().orElseThrow());
            assertEquals(Device.of(0), b.lastPrefetchLocation().orElseThrow());
            a.prefetch(Device.of(0), stream);
            stream.sync();
            assertEquals(Device.of(0), a.lastPrefetchLocation().orElseThrow());
        }
    }

    @Test
    void batchesLargerThanTheStackWork() {
        List<ManagedBuffer> many = new ArrayList<>();
        for (int i = 0; i < 200; i++)
            many.add(resource.allocate(65536));
        List<Location> to = new ArrayList<>();
        for (int i = 0; i < 200; i++)
            to.add(i % 2 == 0 ? Device.of(0) : Host.any());
        assertEquals(200, Ops.prefetch(many, to, stream).rangesIn());
        stream.sync();
        assertEquals(Host.any(), many.get(199).lastPrefetchLocation().orElseThrow());
        many.get(130).close();
        var e = assertThrows(ClosedException.class, () -> Ops.prefetch(many, Device.of(0), stream));
        assertEquals(130, e.index().orElseThrow());
        assertEquals("targets", e.argument().orElseThrow());
        many.forEach(Buffer::close);
    }

    @Test
    void adviceTakesOneOrMany() {
        try (var a = resource.allocate(65536); var b = resource.allocate(65536)) {
            Ops.advise(a, Advice.SET_READ_MOSTLY);
            Ops.advise(List.of(a, b), Advice.SET_PREFERRED_LOCATION,
                       List.of(Device.of(0), Host.any()));
            assertTrue(a.isReadMostly());
            assertEquals(Host.any(), b.preferredLocation().orElseThrow());
            a.advise(Advice.SET_ACCESSED_BY, Device.of(0));
            assertTrue(a.accessedBy().contains(Device.of(0)));
        }
    }

    @Test
    void discardAndDiscardPrefetch() {
        Assumptions.assumeTrue(Device.of(0).supports(Operation.DISCARD));
        try (var a = resource.allocate(2 << 20); var b = resource.allocate(2 << 20)) {
            assertEquals(1, a.discard(stream).rangesIn());
            assertEquals(2, Ops.discardPrefetch(List.of(a, b), Device.of(0), stream).rangesIn());
            stream.sync();
        }
    }

    @Test
    void copiesKeepTheBytes() {
        byte[] first = new byte[4096];
        Arrays.fill(first, (byte) 17);
        try (var a = resource.allocate(4096); var b = resource.allocate(8192);
             var c = resource.allocate(4096); var d = resource.allocate(8192)) {
            a.asByteBuffer().put(first);
            b.asByteBuffer().put(5, (byte) 42);
            var order = CopyOptions.DEFAULT.withSrcAccessOrder(SrcAccessOrder.ANY)
                            .withDstLocationHint(Host.any());
            Copies.copyBatch(stream, List.of(a, b), List.of(c, d),
                             List.of(CopyOptions.DEFAULT, order));
            stream.sync();
            byte[] got = new byte[4096];
            c.asByteBuffer().get(got);
            assertArrayEquals(first, got);
            assertEquals(42, d.asByteBuffer().get(5));
            c.asByteBuffer().put(0, (byte) 0);
            a.copyTo(c, stream);
            stream.sync();
            assertEquals(17, c.asByteBuffer().get(0));
            var e = assertThrows(InvalidArgumentException.class,
                                 () -> Copies.copyBatch(stream, List.of(a, b), List.of(c, c)));
            assertEquals(1, e.index().orElseThrow());
        }
    }

    @Test
    void aPlanRunsAgainAndAgain() {
        try (var a = resource.allocate(65536); var b = resource.allocate(65536);
             var plan = Plan.prefetch(List.of(a, b), List.of(Device.of(0), Host.any()))) {
            assertEquals(2, plan.rangesIn());
            assertTrue(plan.describe().length() > 0);
            for (int i = 0; i < 3; i++)
                assertEquals(2, plan.run(stream).rangesIn());
            stream.sync();
            assertEquals(Device.of(0), a.lastPrefetchLocation().orElseThrow());
            b.close();
            assertEquals(
                1,
                assertThrows(ClosedException.class, () -> plan.run(stream)).index().orElseThrow());
        }
        try (var a = resource.allocate(4096); var b = resource.allocate(4096);
             var copy = Plan.copyBatch(List.of(a), List.of(b));
             var advise = Plan.advise(List.of(a), Advice.SET_READ_MOSTLY, Host.any())) {
            a.asByteBuffer().put(0, (byte) 9);
            copy.run(stream);
            stream.sync();
            assertEquals(9, b.asByteBuffer().get(0));
            advise.run(stream);
            assertTrue(a.isReadMostly());
        }
    }

    @Test
    void streamsAndEvents() {
        try (var a = resource.allocate(1 << 20); var other = Stream.create(Device.of(0));
             var begin = stream.recordTiming()) {
            a.prefetch(Device.of(0), stream);
            try (var end = stream.recordTiming()) {
                other.waitFor(end);
                other.waitFor(stream);
                other.sync();
                assertTrue(end.isDone());
                end.sync();
                assertTrue(end.nanosecondsSince(begin) >= 0);
                assertTrue(end.handle() != 0);
            }
            assertTrue(stream.isDone());
            assertEquals(Device.of(0), stream.device());
            assertEquals(0, stream.priority());
            a.prefetch(Host.any(), Stream.ofHandle(stream.handle()));
            a.prefetch(Device.of(0), Stream.legacy());
            Stream.legacy().sync();
            a.prefetch(Host.any(), Stream.perThread());
            Stream.perThread().sync();
            assertThrows(UnsupportedOperationException.class, Stream.legacy()::priority);
            assertThrows(IllegalArgumentException.class, () -> Stream.ofHandle(-1));
            other.close();
            assertTrue(other.isClosed());
            assertThrows(ClosedException.class, other::sync);
            assertThrows(ClosedException.class, () -> a.prefetch(Device.of(0), other));
            stream.sync();
        }
    }

    @Test
    void theDriversCodeComesAlong() {
        Sim.required();
        try (var a = resource.allocate(65536)) {
            Sim.fault("cuMemAdvise", 1, 1);
            var e = assertThrows(CmmException.class, () -> a.setReadMostly(true));
            assertEquals(1, e.code().orElseThrow());
            assertEquals("CUDA_ERROR_INVALID_VALUE", e.codeName().orElseThrow());
            assertTrue(e.entryPoint().orElseThrow().startsWith("cuMemAdvise"),
                       e.entryPoint()::toString);
            assertEquals(Failure.Kind.DRIVER, e.kind());
            assertTrue(Arrays.stream(e.getStackTrace())
                           .anyMatch(f -> f.getMethodName().equals("setReadMostly")));
        } finally {
            Sim.clearFaults();
        }
    }
}
