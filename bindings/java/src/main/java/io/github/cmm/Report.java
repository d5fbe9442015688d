// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

/**
 * What an operation became.
 *
 * @param rangesIn ranges given that were not empty
 * @param rangesOut ranges after merging
 * @param calls driver calls for them
 * @param bytes bytes of the ranges given
 * @param strategy what was used
 * @param entry the driver's entry point, such as "cuMemPrefetchBatchAsync@13000"
 * @param reason why it was that one
 * @param ignored targets left out because of the hint policy
 */
public record Report(long rangesIn, long rangesOut, long calls, long bytes, Strategy strategy,
                     String entry, String reason, long ignored) {
    /** The texts by number; each is asked for once. */
    private static final String[] TEXTS = new String[256];

    static Report of(long[] numbers) {
        return new Report(numbers[0], numbers[1], numbers[2], numbers[3], Strategy.of(numbers[4]),
                          text((int) numbers[5]), text((int) numbers[6]), numbers[7]);
    }

    private static String text(int number) {
        String known = TEXTS[number];
        if (known == null)
            TEXTS[number] = known = cmm.reportText(number);
        return known;
    }
}
