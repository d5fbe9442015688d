// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Host-side cost of operations whose data is already where it is sent, each beside the raw driver
 * call with the same arguments, which {@link RawDriver} makes in a native loop.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class CmmBench {
    private static final int BYTES = 65536;
    private static final int DRAIN_EVERY = 256;

    private ManagedMemoryResource resource;
    private Stream stream;
    private List<ManagedBuffer> few;
    private List<ManagedBuffer> many;
    private ManagedBuffer one;
    private long fewAt;
    private long manyAt;
    private long oneAt;
    private long rawStream;
    private Plan plan;
    private final Location where = Device.of(0);
    private int calls;

    /** Scattered: every other piece of an allocation. */
    private List<ManagedBuffer> scattered(int count) {
        ManagedBuffer all = resource.allocate(2L * BYTES * count);
        List<ManagedBuffer> out = new ArrayList<>();
        for (int i = 0; i < count; i++)
            out.add(all.slice(2L * BYTES * i, BYTES));
        return out;
    }

    @Setup(Level.Trial)
    public void open() {
        resource = ManagedMemoryResource.create();
        stream = Stream.create();
        few = scattered(64);
        many = scattered(256);
        one = resource.allocate(BYTES);
        plan = Plan.prefetch(many, where);
        fewAt = few.get(0).address();
        manyAt = many.get(0).address();
        oneAt = one.address();
        rawStream = stream.handle();
        Device.of(0).makeCurrent();
        RawDriver.open();
        Ops.prefetch(many, where, stream);
        Ops.prefetch(few, where, stream);
        Ops.prefetch(one, where, stream);
        stream.sync();
    }

    @TearDown(Level.Trial)
    public void close() {
        stream.sync();
        plan.close();
        stream.close();
        resource.close();
    }

    /** The driver's queue is finite: what fills it would be measured else. */
    private Report keepGoing(Report did) {
        if (++calls % DRAIN_EVERY == 0)
            stream.sync();
        return did;
    }

    @Benchmark
    public Report prefetch64() {
        return keepGoing(Ops.prefetch(few, where, stream));
    }

    @Benchmark
    public Report prefetch256() {
        return keepGoing(Ops.prefetch(many, where, stream));
    }

    @Benchmark
    public Report prefetch1() {
        return keepGoing(Ops.prefetch(one, where, stream));
    }

    @Benchmark
    public boolean readMostly() {
        return one.isReadMostly();
    }

    @Benchmark
    public Report plan256() {
        return keepGoing(plan.run(stream));
    }

    private void raw(int result) {
        if (result != 0)
            throw new IllegalStateException("the driver answered " + result);
        if (++calls % DRAIN_EVERY == 0)
            stream.sync();
    }

    @Benchmark
    public void rawLoop64() {
        raw(RawDriver.loop(fewAt, BYTES, 64, rawStream));
    }

    @Benchmark
    public void rawBatch64() {
        raw(RawDriver.batch(fewAt, BYTES, 64, rawStream));
    }

    @Benchmark
    public void rawLoop256() {
        raw(RawDriver.loop(manyAt, BYTES, 256, rawStream));
    }

    @Benchmark
    public void rawBatch256() {
        raw(RawDriver.batch(manyAt, BYTES, 256, rawStream));
    }

    @Benchmark
    public void rawPrefetch1() {
        raw(RawDriver.loop(oneAt, BYTES, 1, rawStream));
    }

    /** Many in a row, so that the way into native code does not count. */
    @Benchmark
    @OperationsPerInvocation(100)
    public void rawReadMostly() {
        int result = RawDriver.readMostly(oneAt, BYTES, 100);
        if (result != 0)
            throw new IllegalStateException("the driver answered " + result);
    }
}
