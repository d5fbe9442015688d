// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class LocationTest {
    @Test
    void equalOnesAreEqual() {
        assertEquals(Device.of(3), Device.of(3));
        assertEquals(Device.of(300), Device.of(300));
        assertEquals(Device.of(300).hashCode(), Device.of(300).hashCode());
        assertEquals(Host.numa(1), Host.numa(1));
        assertSame(Host.any(), Host.any());
        assertNotEquals(Device.of(0), Host.any());
        assertNotEquals(Host.numa(0), Host.any());
        assertNotEquals(Host.numa(0), Host.numaCurrent());
        assertEquals(4, Set.of(Device.of(0), Host.any(), Host.numa(0), Host.numaCurrent()).size());
    }

    @Test
    void theyHaveAnOrderAndNames() {
        var all = new TreeSet<Location>(
            List.of(Host.numaCurrent(), Host.numa(1), Host.any(), Device.of(1), Device.of(0)));
        assertEquals("[device:0, device:1, host, host_numa:1, host_numa_current]", all.toString());
        assertEquals(OptionalInt.of(1), Host.numa(1).node());
        assertEquals(OptionalInt.empty(), Host.any().node());
    }

    @Test
    void negativeOrdinalsAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> Device.of(-1));
        assertThrows(IllegalArgumentException.class, () -> Host.numa(-1));
    }

    @Test
    void theyCrossAndComeBack() {
        for (Location l : List.of(Device.of(0), Device.of(Integer.MAX_VALUE), Host.any(),
                                  Host.numa(7), Host.numaCurrent()))
            assertEquals(l, Location.of(l.code()).orElseThrow());
        assertEquals(true, Location.of(0).isEmpty());
    }
}
