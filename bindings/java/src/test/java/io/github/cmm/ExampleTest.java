// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import columns.ColumnStore;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExampleTest {
    @Test
    void theColumnStoreRuns() {
        var output = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
        try {
            ColumnStore.main(new String[0]);
        } finally {
            System.setOut(before);
        }
        String text = output.toString(StandardCharsets.UTF_8);
        assertTrue(text.contains("2 columns went to device:0 as 1 range by cuMemPrefetch"), text);
        assertTrue(text.endsWith("price 49995000, amount 20000\n"), text);
        assertEquals(Driver.isSimulated(), text.startsWith("This runs on the simulated driver."));
    }

    @Test
    void columnsStaySeparate() {
        try (var store = new ColumnStore(3)) {
            store.add(List.of("a", "b"));
            store.values("a").put(new long[] {1, 2, 3});
            assertEquals(6, store.sum("a"));
            assertEquals(0, store.sum("b"));
        }
    }
}
