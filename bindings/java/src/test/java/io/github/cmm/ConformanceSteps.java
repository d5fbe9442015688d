// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** What the steps of the table of conformance cases do. */
final class ConformanceSteps {
    private final Map<String, AutoCloseable> named = new LinkedHashMap<>();

    Object run(JsonObject s) {
        Object made = make(s);
        return made != null                                  ? made
        : s.has("plan") || s.has("targets") || s.has("srcs") ? operate(s)
                                                             : ask(s);
    }

    void closeAll() {
        List<AutoCloseable> all = new ArrayList<>(named.values());
        Collections.reverse(all);
        all.forEach(ConformanceSteps::close);
    }

    private static Object close(AutoCloseable c) {
        try {
            c.close();
            return true;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static String text(JsonObject s, String field, String otherwise) {
        return s.has(field) ? s.get(field).getAsString() : otherwise;
    }

    private static long number(JsonObject s, String field, long otherwise) {
        return s.has(field) ? s.get(field).getAsLong() : otherwise;
    }

    private <T> T of(JsonObject s, String field, Class<T> type) {
        return type.cast(named.get(s.get(field).getAsString()));
    }

    private Buffer buffer(JsonObject s) {
        return of(s, "of", Buffer.class);
    }

    private ManagedBuffer managed(JsonObject s) {
        return of(s, "of", ManagedBuffer.class);
    }

    private Stream stream(JsonObject s) {
        String name = text(s, "stream", "legacy");
        return name.equals("legacy") ? Stream.legacy()
        : name.equals("per_thread")  ? Stream.perThread()
                                     : (Stream) named.get(name);
    }

    private <T extends AutoCloseable> T keep(JsonObject s, T made) {
        named.put(s.get("as").getAsString(), made);
        return made;
    }

    /** Objects; null where the step makes none. */
    private Object make(JsonObject s) {
        return switch (s.get("do").getAsString()) {
            case "resource" -> keep(s, resource(s));
            case "allocate" ->
                keep(s, of(s, "from", MemoryResource.class).allocate(number(s, "bytes", 0)));
            case "allocate_batch" -> allocateBatch(s);
            case "slice" -> keep(s, buffer(s).slice(number(s, "offset", 0), number(s, "bytes", 0)));
            case "borrow" -> keep(s, borrow(s));
            case "host_memory" -> keep(s, hostMemory((int) number(s, "bytes", 0)));
            case "stream" ->
                keep(s, s.has("device") ? Stream.create(Device.of(s.get("device").getAsInt()))
                                        : Stream.create());
            case "plan" -> keep(s, plan(s));
            case "view" -> keep(s, HostView.of(buffer(s))).bytes();
            default -> null;
        };
    }

    private static MemoryResource resource(JsonObject s) {
        Device device = s.has("device") ? Device.of(s.get("device").getAsInt()) : null;
        return switch (text(s, "kind", "managed")) {
            case "managed" ->
                device == null ? ManagedMemoryResource.create()
                               : ManagedMemoryResource.create(device);
            case "arena" -> arena(s, device);
            case "pinned" -> new PinnedMemoryResource();
            case "device" -> new DeviceMemoryResource(device == null ? Device.of(0) : device);
            default -> throw new AssertionError("no resource: " + s);
        };
    }

    private static MemoryResource arena(JsonObject s, Device device) {
        ArenaOptions o = ArenaOptions.DEFAULT.withLimitBytes(number(s, "limit_bytes", 0));
        o = o.withSlabBytes(number(s, "slab_bytes", o.slabBytes()));
        return ManagedMemoryResource.arena(device == null ? o : o.withDevice(device));
    }

    private List<ManagedBuffer> allocateBatch(JsonObject s) {
        JsonArray bytes = s.getAsJsonArray("bytes");
        long[] sizes = new long[bytes.size()];
        for (int i = 0; i < sizes.length; i++)
            sizes[i] = bytes.get(i).getAsLong();
        List<ManagedBuffer> made = of(s, "from", ManagedMemoryResource.class).allocateBatch(sizes);
        for (int i = 0; i < sizes.length; i++)
            named.put(s.getAsJsonArray("as").get(i).getAsString(), made.get(i));
        return made;
    }

    private Buffer borrow(JsonObject s) {
        Buffer of = buffer(s);
        long address = of.address() + number(s, "offset", 0);
        long bytes = number(s, "bytes", 0);
        boolean managed = !s.has("managed") || s.get("managed").getAsBoolean();
        return managed ? ManagedBuffer.fromHandle(address, bytes, of)
                       : Buffer.fromHandle(address, bytes, of);
    }

    private static Buffer hostMemory(int bytes) {
        ByteBuffer memory = ByteBuffer.allocateDirect(bytes);
        return Buffer.fromHandle(Sim.addressOf(memory), bytes, memory);
    }

    private List<Buffer> buffers(JsonObject s, String field) {
        JsonElement given = s.get(field);
        List<Buffer> out = new ArrayList<>();
        if (!given.isJsonArray())
            return List.of((Buffer) named.get(given.getAsString()));
        for (JsonElement each : given.getAsJsonArray())
            out.add(each.isJsonObject() ? range(each.getAsJsonObject())
                                        : (Buffer) named.get(each.getAsString()));
        return out;
    }

    private Buffer range(JsonObject r) {
        Buffer of = of(r, "range", Buffer.class);
        Buffer borrowed =
            Buffer.fromHandle(of.address() + number(r, "offset", 0), number(r, "bytes", 0), of);
        named.put("range " + named.size(), borrowed);
        return borrowed;
    }

    private static boolean pairs(JsonObject s) {
        return s.has("where") && s.get("where").isJsonArray();
    }

    private static Location where(JsonObject s) {
        return s.has("where") ? ConformanceValues.location(s.get("where")) : Host.any();
    }

    private static List<CopyOptions> copies(JsonObject s) {
        List<CopyOptions> out = new ArrayList<>();
        s.getAsJsonArray("copy").forEach(each -> out.add(ConformanceValues.copy(each)));
        return out;
    }

    private static CopyOptions copy(JsonObject s) {
        return s.has("copy") ? ConformanceValues.copy(s.get("copy")) : CopyOptions.DEFAULT;
    }

    private static boolean perCopy(JsonObject s) {
        return s.has("copy") && s.get("copy").isJsonArray();
    }

    private static Advice advice(JsonObject s) {
        return Advice.valueOf(ConformanceValues.upper(s.get("advice")));
    }

    private Plan plan(JsonObject s) {
        OpOptions o = ConformanceValues.options(s);
        String op = s.get("op").getAsString();
        if (op.equals("copy_batch"))
            return perCopy(s) ? Plan.copyBatch(buffers(s, "srcs"), buffers(s, "dsts"), copies(s), o)
                              : Plan.copyBatch(buffers(s, "srcs"), buffers(s, "dsts"), copy(s), o);
        List<Buffer> t = buffers(s, "targets");
        List<Location> many = pairs(s) ? ConformanceValues.locations(s.get("where")) : null;
        return switch (op) {
            case "prefetch" ->
                many != null ? Plan.prefetch(t, many, o) : Plan.prefetch(t, where(s), o);
            case "discard_prefetch" ->
                many != null ? Plan.discardPrefetch(t, many, o)
                             : Plan.discardPrefetch(t, where(s), o);
            case "advise" ->
                many != null ? Plan.advise(t, advice(s), many, o)
                             : Plan.advise(t, advice(s), where(s), o);
            default -> throw new AssertionError("no plan: " + op);
        };
    }

    private Object operate(JsonObject s) {
        OpOptions o = ConformanceValues.options(s);
        String what = s.get("do").getAsString();
        if (s.has("plan"))
            return askPlan(what, of(s, "plan", Plan.class), s);
        if (what.equals("copy_batch"))
            return perCopy(s)
                ? Copies.copyBatch(stream(s), buffers(s, "srcs"), buffers(s, "dsts"), copies(s), o)
                : Copies.copyBatch(stream(s), buffers(s, "srcs"), buffers(s, "dsts"), copy(s), o);
        List<Buffer> t = buffers(s, "targets");
        List<Location> many = pairs(s) ? ConformanceValues.locations(s.get("where")) : null;
        return switch (what) {
            case "advise" ->
                many != null ? Ops.advise(t, advice(s), many, o)
                             : Ops.advise(t, advice(s), where(s), o);
            case "prefetch" ->
                many != null ? Ops.prefetch(t, many, stream(s), o)
                             : Ops.prefetch(t, where(s), stream(s), o);
            case "discard" -> Ops.discard(t, stream(s), o);
            case "discard_prefetch" ->
                many != null ? Ops.discardPrefetch(t, many, stream(s), o)
                             : Ops.discardPrefetch(t, where(s), stream(s), o);
            default -> throw new AssertionError("no operation: " + what);
        };
    }

    private Object askPlan(String what, Plan plan, JsonObject s) {
        return switch (what) {
            case "run" -> plan.run(stream(s));
            case "ranges_in" -> plan.rangesIn();
            case "ranges_out" -> plan.rangesOut();
            default -> throw new AssertionError("no question: " + what);
        };
    }

    private Object ask(JsonObject s) {
        return switch (s.get("do").getAsString()) {
            case "close" -> close(of(s, "of", AutoCloseable.class));
            case "is_closed" -> isClosed(named.get(s.get("of").getAsString()));
            case "fill" -> fill(buffer(s), (byte) number(s, "value", 0));
            case "bytes" -> bytes(s);
            case "size" -> buffer(s).size();
            case "kind" -> buffer(s).kind().name().toLowerCase(Locale.ROOT);
            case "device" -> buffer(s).device().ordinal();
            case "read_mostly" -> managed(s).isReadMostly();
            case "preferred_location" -> managed(s).preferredLocation();
            case "last_prefetch_location" -> managed(s).lastPrefetchLocation();
            case "accessed_by" -> {
                var set = managed(s).accessedBy();
                set.size(); // asks the driver: a closed buffer is refused here
                yield set;
            }
            case "set_read_mostly" -> managed(s).setReadMostly(s.get("value").getAsBoolean());
            case "set_preferred_location" ->
                managed(s).setPreferredLocation(ConformanceValues.location(s.get("where")));
            case "set_accessed_by" ->
                managed(s).setAccessedBy(ConformanceValues.locations(s.get("where")));
            case "add_accessed_by" -> managed(s).accessedBy().add(where(s));
            case "discard_accessed_by" -> managed(s).accessedBy().remove(where(s));
            case "trim" -> of(s, "of", ManagedMemoryResource.class).trim();
            case "stats" -> of(s, "of", ManagedMemoryResource.class).stats();
            case "is_arena" -> of(s, "of", ManagedMemoryResource.class).isArena();
            default -> steer(s);
        };
    }

    /** The driver, real or simulated. */
    private Object steer(JsonObject s) {
        switch (s.get("do").getAsString()) {
        case "sync" -> stream(s).sync();
        case "devices" -> {
            return Device.count();
        }
        case "api_level" -> {
            return Driver.apiLevel();
        }
        case "numa_nodes" -> {
            return Driver.numaNodes();
        }
        case "supports" -> {
            Operation operation = Operation.valueOf(ConformanceValues.upper(s.get("operation")));
            return Device.of((int) number(s, "device", 0)).supports(operation);
        }
        case "hint_policy" ->
            Driver.setHintPolicy(HintPolicy.valueOf(ConformanceValues.upper(s.get("value"))));
        case "fault" ->
            Sim.fault(s.get("entry").getAsString(), number(s, "nth", 1),
                      (int) number(s, "result", 1));
        case "record_clear" -> Sim.recordClear();
        case "calls" -> {
            return Sim.calls(s.get("entry").getAsString());
        }
        case "hold" -> Sim.hold();
        case "release" -> Sim.release();
        default -> throw new AssertionError("no step: " + s);
        }
        return true;
    }

    private static boolean isClosed(Object o) {
        return o instanceof Stream s ? s.isClosed() : ((NativeObject) o).isClosed();
    }

    /**
     * The bytes on the host for as long as `use` runs: a ByteBuffer's own view would last until it
     * is collected.
     */
    private static <T> T onHost(Buffer b, Function<ByteBuffer, T> use) {
        try (HostView view = HostView.of(b)) {
            return use.apply(cmm.asByteBuffer(cmm.viewAddress(view.handle), view.bytes()));
        }
    }

    private static Object fill(Buffer b, byte value) {
        return onHost(b, view -> {
            while (view.hasRemaining())
                view.put(value);
            return true;
        });
    }

    private Object bytes(JsonObject s) {
        return onHost(buffer(s), view -> {
            int from = (int) number(s, "offset", 0);
            int bytes = (int) number(s, "bytes", view.capacity() - from);
            for (int i = from; i < from + bytes; i++)
                if (view.get(i) != view.get(from))
                    return -1;
            return view.get(from) & 0xff;
        });
    }
}
