// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** Runs the benchmarks and prints a table: what cmm costs over the raw driver call. */
public final class BenchMain {
    private BenchMain() {
    }

    public static void main(String[] args) throws RunnerException {
        var options = new OptionsBuilder()
                          .include(CmmBench.class.getName())
                          .forks(Integer.getInteger("cmm.bench.forks", 1))
                          .build();
        Collection<RunResult> results = new Runner(options).run();
        Map<String, Double> nanoseconds = new LinkedHashMap<>();
        for (RunResult each : results)
            nanoseconds.put(each.getPrimaryResult().getLabel(), each.getPrimaryResult().getScore());
        System.out.println("driver: " + Driver.library() +
                           (Driver.isSimulated() ? " (simulated)" : "") + ", " +
                           Device.of(0).name() + ", API level " + Driver.apiLevel() + ", Java " +
                           System.getProperty("java.version"));
        System.out.printf("%-28s %12s %12s %12s%n", "ns per call", "cmm", "raw", "over");
        row(nanoseconds, "prefetch of 64", "prefetch64", "rawLoop64", "rawBatch64");
        row(nanoseconds, "prefetch of 256", "prefetch256", "rawLoop256", "rawBatch256");
        row(nanoseconds, "plan of 256", "plan256", "rawLoop256", "rawBatch256");
        row(nanoseconds, "prefetch of one", "prefetch1", "rawPrefetch1");
        row(nanoseconds, "read_mostly", "readMostly", "rawReadMostly");
    }

    /** Beside the fastest of the raw ways. */
    private static void row(Map<String, Double> all, String name, String ours, String... raws) {
        double best = Double.MAX_VALUE;
        for (String raw : raws)
            best = Math.min(best, all.get(raw));
        System.out.printf("%-28s %12.1f %12.1f %12.1f%n", name, all.get(ours), best,
                          all.get(ours) - best);
    }
}
