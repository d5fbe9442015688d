// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only a process of its own shows. */
class ProcessTest {
    private static final int MOST_SECONDS = 240; // for a machine that has other work

    private static final int MOST_SECONDS_TO_EXIT = 5; // with the start

    private record Ended(int status, String output, long seconds) {
        void silent() {
            assertFalse(output.contains("WARNING in native method"), output);
            assertFalse(output.contains("FATAL ERROR"), output);
            assertFalse(output.contains("SIGSEGV"), output);
        }
    }

    private static Ended java(List<String> options, List<String> settings, String... program)
        throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(
            List.of("-cp", System.getProperty("java.class.path"), "io.github.cmm.Programs"));
        command.addAll(List.of(program));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        for (String setting : settings)
            builder.environment().put(setting.substring(0, setting.indexOf('=')),
                                      setting.substring(setting.indexOf('=') + 1));
        Path output = Files.createTempFile("cmm-java", ".txt");
        builder.redirectOutput(output.toFile());
        long begin = System.nanoTime();
        Process process = builder.start();
        boolean ended = process.waitFor(MOST_SECONDS, TimeUnit.SECONDS);
        if (!ended)
            process.destroyForcibly().waitFor();
        String text = Files.readString(output);
        Files.delete(output);
        assertTrue(ended, () -> "still running: " + text);
        return new Ended(process.exitValue(), text, (System.nanoTime() - begin) / 1_000_000_000L);
    }

    private static String library() {
        return "-Dcmm.library.path=" + System.getProperty("cmm.library.path");
    }

    @Test
    void aHundredThousandUnclosedBuffersFit() throws Exception {
        var ended = java(List.of(library(), "-Xmx64m"), List.of("CMM_SIM_MANAGED_LIMIT=268435456"),
                         "unclosed", "100000");
        assertEquals("allocated 6553600000\n", ended.output());
        assertEquals(0, ended.status());
    }

    @Test
    void reachableBuffersRunOutOfMemory() throws Exception {
        Sim.required();
        var ended = java(List.of(library(), "-Xmx64m"), List.of("CMM_SIM_MANAGED_LIMIT=268435456"),
                         "held", "100000");
        assertEquals("out of memory after 4096: CUDA_ERROR_OUT_OF_MEMORY\n", ended.output());
        assertEquals(0, ended.status());
    }

    @Test
    void exitWithWorkInFlightKeepsItsStatus() throws Exception {
        for (int status : new int[] {0, 7}) {
            var ended =
                java(List.of(library(), "-Xcheck:jni"), List.of("CMM_SIM_COPY_DELAY=2000000"),
                     "exit", Integer.toString(status));
            assertEquals(status, ended.status(), ended.output());
            assertTrue(ended.seconds() < MOST_SECONDS_TO_EXIT,
                       () -> "it took " + ended.seconds() + " s");
            ended.silent();
        }
    }

    @Test
    void exitWithViewsAndOwnersIsQuiet() throws Exception {
        var ended = java(List.of(library(), "-Xcheck:jni"), List.of(), "views");
        assertEquals("17\n", ended.output());
        assertEquals(0, ended.status());
    }

    @Test
    void theJarsLibrariesAreUnpackedOnce(@TempDir Path cache) throws Exception {
        Path natives =
            Path.of(System.getProperty("cmm.jar.classes", "none"), "io/github/cmm/native");
        Assumptions.assumeTrue(Files.isDirectory(natives), "the natives are not in the classes");
        for (int i = 0; i < 2; i++) {
            var ended = java(List.of("-Dcmm.cache=" + cache, "-Djava.library.path="),
                             List.of("CMM_DRIVER=sim"), "loaded");
            assertEquals("1 true\n", ended.output());
        }
        Path folder = cache.resolve("java");
        assertEquals("rwx------",
                     PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)));
        try (var entries = Files.list(folder)) {
            assertEquals(1, entries.count());
        }
    }

    @Test
    void javaLibraryPathWorks() throws Exception {
        var ended = java(List.of("-Djava.library.path=" + System.getProperty("cmm.library.path"),
                                 "-Dcmm.cache=/nowhere"),
                         List.of("CMM_DRIVER=sim"), "loaded");
        assertEquals("1 true\n", ended.output());
    }
}
