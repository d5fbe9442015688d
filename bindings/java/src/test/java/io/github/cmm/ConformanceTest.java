// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Runs the table of cases that all languages share; its README.md says what the steps mean. */
class ConformanceTest {
    @TestFactory
    List<DynamicTest> cases() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        try (Reader in =
                 new InputStreamReader(ConformanceTest.class.getResourceAsStream("/cases.json"),
                                       StandardCharsets.UTF_8)) {
            for (JsonElement each :
                 JsonParser.parseReader(in).getAsJsonObject().getAsJsonArray("cases")) {
                JsonObject c = each.getAsJsonObject();
                tests.add(DynamicTest.dynamicTest(c.get("name").getAsString(), () -> run(c)));
            }
        }
        assertFalse(tests.isEmpty(), "the table has no cases");
        return tests;
    }

    private static void run(JsonObject c) {
        Driver.openSimulated(c.has("config") ? c.get("config").getAsString() : "",
                             c.has("api_level") ? c.get("api_level").getAsInt() : 0);
        Sim.recordClear();
        JsonArray steps = c.getAsJsonArray("steps");
        assertFalse(steps.isEmpty(), "the case has no steps");
        ConformanceSteps doing = new ConformanceSteps();
        try {
            for (int i = 0; i < steps.size(); i++)
                step(doing, steps.get(i).getAsJsonObject(), i);
        } finally {
            Sim.release();
            Sim.clearFaults();
            doing.closeAll();
            Driver.drain();
            Driver.setHintPolicy(HintPolicy.DEFAULT);
        }
        assertEquals(0, Sim.useAfterFreeCount(), "memory was freed under queued work");
        assertEquals(0, Sim.managedAllocations(), "managed memory is left");
    }

    private static void step(ConformanceSteps doing, JsonObject step, int number) {
        String what = "step " + number + ": " + step;
        Object result;
        try {
            result = doing.run(step);
        } catch (AssertionError e) {
            throw new AssertionError(what, e);
        } catch (RuntimeException e) {
            if (!step.has("error"))
                throw new AssertionError(what + ": " + e, e);
            compareError(step.getAsJsonObject("error"), e, what);
            return;
        }
        assertFalse(step.has("error"), () -> what + ": no error, but " + result);
        if (step.has("is"))
            ConformanceValues.compare(step.get("is"), result, what);
        if (step.has("report"))
            ConformanceValues.compareReport(step.getAsJsonObject("report"), (Report) result, what);
    }

    private static void compareError(JsonObject wanted, RuntimeException e, String what) {
        String kind = wanted.get("kind").getAsString();
        if (!(e instanceof Failure f)) { // Java refused it first
            assertEquals("invalid_argument", kind, () -> what + ": " + e);
            if (!(e instanceof IllegalArgumentException))
                throw new AssertionError(what + ": " + e, e);
            return;
        }
        assertEquals(kind, f.kind().name().toLowerCase(), () -> what + ": " + e);
        for (String field : wanted.keySet()) {
            JsonElement value = wanted.get(field);
            String at = what + ": " + field + " of " + e;
            switch (field) {
            case "kind" -> {
            }
            case "argument" -> assertEquals(value.getAsString(), f.argument().orElse(""), at);
            case "index" ->
                assertEquals(value.isJsonNull() ? -1 : value.getAsLong(), f.index().orElse(-1), at);
            case "other_index" ->
                assertEquals(value.isJsonNull() ? -1 : value.getAsLong(), f.otherIndex().orElse(-1),
                             at);
            case "text" -> assertEquals(true, e.getMessage().contains(value.getAsString()), at);
            case "code" -> assertEquals(value.getAsInt(), ((CmmException) e).code().orElse(0), at);
            case "name" ->
                assertEquals(value.getAsString(), ((CmmException) e).codeName().orElse(""), at);
            case "entry" ->
                assertEquals(value.getAsString(), ((CmmException) e).entryPoint().orElse(""), at);
            case "issued" -> assertEquals(value.getAsLong(), ((CmmException) e).issued(), at);
            default -> throw new AssertionError(at + ": unknown field");
            }
        }
    }
}
