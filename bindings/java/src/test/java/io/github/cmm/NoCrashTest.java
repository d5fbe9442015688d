// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Whatever Java code does is an exception at most. */
class NoCrashTest {
    private final ManagedMemoryResource resource = ManagedMemoryResource.create();
    private final Stream stream = Stream.create();

    @Test
    void nullsAreRefused() {
        try (var a = resource.allocate(4096)) {
            assertThrows(NullPointerException.class,
                         () -> Ops.prefetch((Buffer) null, Host.any(), stream));
            assertThrows(NullPointerException.class,
                         () -> Ops.prefetch((List<Buffer>) null, Host.any(), stream));
            assertThrows(NullPointerException.class, () -> Ops.prefetch(a, null, stream));
            assertThrows(NullPointerException.class, () -> Ops.prefetch(a, Host.any(), null));
            assertThrows(NullPointerException.class,
                         () -> Ops.prefetch(a, Host.any(), stream, null));
            assertThrows(NullPointerException.class,
                         () -> Ops.prefetch(List.of(a), (List<Location>) null, stream));
            assertThrows(NullPointerException.class,
                         () -> Ops.prefetch(List.of(a), Collections.singletonList(null), stream));
            var e = assertThrows(NullPointerException.class,
                                 () -> Ops.prefetch(Arrays.asList(a, null), Host.any(), stream));
            assertTrue(e.getMessage().contains("targets[1]"), e.getMessage());
            assertThrows(NullPointerException.class, () -> Ops.advise(a, null));
            assertThrows(NullPointerException.class, () -> Ops.discard((Buffer) null, stream));
            assertThrows(NullPointerException.class,
                         () -> Copies.copyBatch(null, List.of(a), List.of(a)));
            assertThrows(NullPointerException.class,
                         () -> Copies.copyBatch(stream, null, List.of(a)));
            assertThrows(
                NullPointerException.class,
                () -> Copies.copyBatch(stream, List.of(a), List.of(a), (CopyOptions) null));
            assertThrows(NullPointerException.class,
                         ()
                             -> Copies.copyBatch(stream, List.of(a), List.of(a),
                                                 Collections.singletonList(null)));
            assertThrows(NullPointerException.class, () -> Plan.prefetch(null, Host.any()));
            assertThrows(NullPointerException.class, () -> a.setAccessedBy(null));
            assertThrows(NullPointerException.class, () -> a.close(null));
            assertThrows(NullPointerException.class, () -> stream.waitFor((Event) null));
            assertThrows(NullPointerException.class, () -> stream.waitFor((Stream) null));
            assertThrows(NullPointerException.class, () -> Device.of(0).supports(null));
            assertThrows(NullPointerException.class, () -> Driver.open(null, 0));
            assertThrows(NullPointerException.class, () -> resource.allocateBatch((long[]) null));
        }
    }

    @Test
    void whatIsClosedIsRefused() {
        var a = resource.allocate(4096);
        var slice = a.slice(0, 1024);
        var plan = Plan.prefetch(List.of(a), Host.any());
        var event = stream.record();
        var other = Stream.create();
        var from = ManagedMemoryResource.create();
        List<AutoCloseable> all = List.of(a, slice, plan, event, other, from);
        all.forEach(NoCrashTest::closeTwice);
        assertThrows(ClosedException.class, a::address);
        assertThrows(ClosedException.class, a::views);
        assertThrows(ClosedException.class, a::isReadMostly);
        assertThrows(ClosedException.class, () -> a.accessedBy().size());
        assertThrows(ClosedException.class, () -> a.setPreferredLocation(Host.any()));
        assertThrows(ClosedException.class, () -> a.prefetch(Host.any(), stream));
        assertThrows(ClosedException.class, () -> Copies.copyBatch(stream, List.of(a), List.of(a)));
        assertThrows(ClosedException.class, slice::asByteBuffer);
        assertThrows(ClosedException.class, () -> plan.run(stream));
        assertThrows(ClosedException.class, plan::describe);
        assertThrows(ClosedException.class, event::sync);
        assertThrows(ClosedException.class, () -> stream.waitFor(event));
        assertThrows(ClosedException.class, other::isDone);
        assertThrows(ClosedException.class, () -> stream.waitFor(other));
        assertThrows(ClosedException.class, () -> from.allocate(1));
        assertThrows(ClosedException.class, from::stats);
        a.close(stream);
    }

    private static void closeTwice(AutoCloseable c) {
        try {
            c.close();
            c.close();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void wrongSizesAndForeignMemoryAreRefused() {
        try (var a = resource.allocate(4096); var b = resource.allocate(8192)) {
            assertThrows(InvalidArgumentException.class,
                         () -> Ops.prefetch(List.of(), Host.any(), stream));
            assertThrows(InvalidArgumentException.class,
                         () -> Ops.prefetch(List.of(a, b), List.of(Host.any()), stream));
            assertThrows(InvalidArgumentException.class,
                         () -> Ops.prefetch(a, Device.of(63), stream));
            assertThrows(InvalidArgumentException.class,
                         () -> Copies.copyBatch(stream, List.of(a), List.of(b)));
            assertThrows(InvalidArgumentException.class,
                         () -> Copies.copyBatch(stream, List.of(a, b), List.of(b)));
            assertThrows(
                InvalidArgumentException.class,
                ()
                    -> Copies.copyBatch(stream, List.of(a), List.of(a),
                                        List.of(CopyOptions.DEFAULT, CopyOptions.DEFAULT)));
            assertThrows(InvalidArgumentException.class,
                         () -> Ops.advise(a, Advice.SET_ACCESSED_BY, Host.numa(0)));
            ByteBuffer heap = ByteBuffer.allocateDirect(4096);
            var foreign = Buffer.fromHandle(a.address() + 4096 * 1024L * 1024, 4096, heap);
            assertThrows(RuntimeException.class, () -> Ops.prefetch(foreign, Host.any(), stream));
            foreign.close();
            assertThrows(IllegalArgumentException.class, () -> Stream.create(Device.of(62)));
            assertThrows(RuntimeException.class,
                         () -> Driver.openSimulated("no such setting=1", 0));
        }
    }

    @Test
    @SuppressWarnings({"unchecked", "rawtypes"})
    void whatIsNoBufferIsRefused() {
        List wrong = new ArrayList(List.of("a", "b"));
        assertThrows(ArrayStoreException.class, () -> Ops.prefetch(wrong, Host.any(), stream));
    }

    @Test
    void manyThreadsCloseWhatOthersUse() throws InterruptedException {
        var failure = new AtomicReference<Throwable>();
        var refused = new AtomicInteger();
        var current = new AtomicReference<>(resource.allocate(65536));
        long end = System.nanoTime() + 2_000_000_000L;
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 6; t++) {
            int role = t;
            threads.add(new Thread(() -> {
                while (System.nanoTime() < end && failure.get() == null)
                    try {
                        use(role, current);
                    } catch (ClosedException e) {
                        refused.incrementAndGet();
                    } catch (Throwable e) {
                        failure.set(e);
                    }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread t : threads)
            t.join();
        assertEquals(null, failure.get());
        assertTrue(refused.get() > 0);
        stream.sync();
        current.get().close();
    }

    private void use(int role, AtomicReference<ManagedBuffer> current) {
        ManagedBuffer b = current.get();
        switch (role) {
        case 0 -> current.getAndSet(resource.allocate(65536)).close();
        case 1 -> b.prefetch(Device.of(0), stream);
        case 2 -> b.setReadMostly(!b.isReadMostly());
        case 3 -> b.asByteBuffer().put(0, (byte) 1);
        case 4 -> Copies.copyBatch(stream, List.of(b.slice(0, 1024)), List.of(b.slice(1024, 1024)));
        default -> {
            try (var plan = Plan.prefetch(List.of(b), Host.any())) {
                plan.run(stream);
            }
        }
        }
    }
}
