// SPDX-License-Identifier: Apache-2.0
package columns;

import io.github.cmm.Advice;
import io.github.cmm.ArenaOptions;
import io.github.cmm.Copies;
import io.github.cmm.Device;
import io.github.cmm.Driver;
import io.github.cmm.Host;
import io.github.cmm.ManagedBuffer;
import io.github.cmm.ManagedMemoryResource;
import io.github.cmm.Ops;
import io.github.cmm.Report;
import io.github.cmm.Stream;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A small column store outside of Java's heap: columns of longs in managed memory, which are staged
 * to a device before it works on them and brought back after.
 *
 * <p>Run it: {@code java -cp cmm.jar:examples columns.ColumnStore}; with {@code CMM_DRIVER=sim}
 * without a GPU.
 */
public final class ColumnStore implements AutoCloseable {
    private final ManagedMemoryResource arena;
    private final Stream stream;
    private final int rows;
    private final Map<String, ManagedBuffer> columns = new LinkedHashMap<>();

    /**
     * Makes an empty store.
     *
     * @param rows how long every column is
     */
    public ColumnStore(int rows) {
        this.rows = rows;
        arena = ManagedMemoryResource.arena(ArenaOptions.DEFAULT.withSlabBytes(8 << 20));
        stream = Stream.create();
    }

    /**
     * Adds columns of zeros, which lie side by side: moving them together is one move.
     *
     * @param names what to call them
     */
    public void add(List<String> names) {
        long[] sizes = new long[names.size()];
        java.util.Arrays.fill(sizes, (long) rows * Long.BYTES);
        List<ManagedBuffer> made = arena.allocateBatch(sizes);
        for (int i = 0; i < sizes.length; i++)
            columns.put(names.get(i), made.get(i));
    }

    /**
     * A column's values, for reading and writing on the host.
     *
     * @param name which column
     * @return its longs
     */
    public LongBuffer values(String name) {
        return columns.get(name).asByteBuffer().asLongBuffer();
    }

    /**
     * Moves columns to a device, in one batch.
     *
     * @param names which columns
     * @param device where to
     * @return what became of it
     */
    public Report stage(Collection<String> names, Device device) {
        List<ManagedBuffer> wanted = buffers(names);
        Ops.advise(wanted, Advice.SET_PREFERRED_LOCATION, device);
        return Ops.prefetch(wanted, device, stream);
    }

    /** Brings all columns back to the host, and waits for it. */
    public void bringBack() {
        List<ManagedBuffer> all = buffers(columns.keySet());
        Ops.advise(all, Advice.UNSET_PREFERRED_LOCATION);
        Ops.prefetch(all, Host.any(), stream);
        stream.sync();
    }

    /**
     * Copies columns to other ones, on the device, in one batch.
     *
     * @param from the sources
     * @param to the destinations
     */
    public void copy(List<String> from, List<String> to) {
        Copies.copyBatch(stream, buffers(from), buffers(to));
        stream.sync();
    }

    /**
     * Adds up a column on the host.
     *
     * @param name which column
     * @return the sum
     */
    public long sum(String name) {
        LongBuffer values = values(name);
        long sum = 0;
        while (values.hasRemaining())
            sum += values.get();
        return sum;
    }

    private List<ManagedBuffer> buffers(Collection<String> names) {
        List<ManagedBuffer> out = new ArrayList<>();
        for (String name : names)
            out.add(columns.get(name));
        return out;
    }

    @Override
    public void close() {
        columns.values().forEach(ManagedBuffer::close);
        stream.close();
        arena.close();
    }

    /**
     * Fills columns, stages them, copies them and adds them up.
     *
     * @param args none
     */
    public static void main(String[] args) {
        if (Driver.isSimulated())
            System.out.println("This runs on the simulated driver.");
        int rows = 10_000;
        try (var store = new ColumnStore(rows)) {
            store.add(List.of("price", "amount", "price of yesterday", "amount of yesterday"));
            LongBuffer price = store.values("price");
            LongBuffer amount = store.values("amount");
            for (int i = 0; i < rows; i++) {
                price.put(i, i);
                amount.put(i, 2);
            }
            Report staged = store.stage(List.of("price", "amount"), Device.of(0));
            System.out.println(staged.rangesIn() + " columns went to " + Device.of(0) + " as " +
                               staged.rangesOut() + " range by " + staged.entry());
            store.copy(List.of("price", "amount"),
                       List.of("price of yesterday", "amount of yesterday"));
            store.bringBack();
            System.out.println("price " + store.sum("price of yesterday") + ", amount " +
                               store.sum("amount of yesterday"));
        }
    }
}
