// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Values as the table of conformance cases writes them. */
final class ConformanceValues {
    private ConformanceValues() {
    }

    static Location location(JsonElement text) {
        if (text == null || text.isJsonNull())
            return null;
        String[] parts = text.getAsString().split(":");
        return switch (parts[0]) {
            case "device" -> Device.of(Integer.parseInt(parts[1]));
            case "host" -> Host.any();
            case "host_numa" -> Host.numa(Integer.parseInt(parts[1]));
            case "host_numa_current" -> Host.numaCurrent();
            default -> throw new AssertionError("no location: " + text);
        };
    }

    static List<Location> locations(JsonElement list) {
        List<Location> out = new ArrayList<>();
        list.getAsJsonArray().forEach(each -> out.add(location(each)));
        return out;
    }

    static OpOptions options(JsonObject step) {
        OpOptions out = OpOptions.DEFAULT;
        if (!step.has("options"))
            return out;
        JsonObject given = step.getAsJsonObject("options");
        if (given.has("strategy"))
            out = out.withStrategy(Strategy.valueOf(upper(given.get("strategy"))));
        if (given.has("hints"))
            out = out.withHints(HintPolicy.valueOf(upper(given.get("hints"))));
        return out;
    }

    static CopyOptions copy(JsonElement given) {
        JsonObject o = given.getAsJsonObject();
        CopyOptions out = CopyOptions.DEFAULT.withSrcLocationHint(location(o.get("src_hint")))
                              .withDstLocationHint(location(o.get("dst_hint")));
        if (o.has("order"))
            out = out.withSrcAccessOrder(SrcAccessOrder.valueOf(upper(o.get("order"))));
        if (o.has("overlap") && o.get("overlap").getAsString().equals("prefer"))
            out = out.withOverlapMode(OverlapMode.PREFER_OVERLAP_WITH_COMPUTE);
        return out;
    }

    static String upper(JsonElement word) {
        return word.getAsString().toUpperCase(Locale.ROOT);
    }

    static void compare(JsonElement wanted, Object got, String what) {
        if (got instanceof Optional<?> o)
            got = o.orElse(null);
        if (got instanceof ArenaStatistics s) {
            compareFields(wanted.getAsJsonObject(),
                          Map.of("slabs", s.slabs(), "slab_bytes", s.slabBytes(), "pieces",
                                 s.pieces(), "piece_bytes", s.pieceBytes(), "free_stretches",
                                 s.freeStretches(), "largest_free", s.largestFree()),
                          what);
        } else if (got instanceof Set<?> set) {
            assertEquals(new HashSet<>(locations(wanted)), set, what);
        } else if (got instanceof Number n) {
            assertEquals(wanted.getAsLong(), n.longValue(), what);
        } else if (got instanceof Boolean b) {
            assertEquals(wanted.getAsBoolean(), b, what);
        } else {
            assertEquals(wanted instanceof JsonNull ? null : wanted.getAsString(),
                         got == null ? null : got.toString(), what);
        }
    }

    static void compareReport(JsonObject wanted, Report r, String what) {
        compareFields(wanted,
                      Map.of("ranges_in", r.rangesIn(), "ranges_out", r.rangesOut(), "calls",
                             r.calls(), "bytes", r.bytes(), "ignored", r.ignored(), "entry",
                             r.entry(), "strategy", r.strategy().name().toLowerCase(Locale.ROOT)),
                      what);
    }

    private static void compareFields(JsonObject wanted, Map<String, Object> got, String what) {
        for (String field : wanted.keySet()) {
            Object value = got.get(field);
            assertEquals(wanted.get(field).getAsString(), String.valueOf(value),
                         () -> what + ": " + field);
        }
    }
}
