// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

/**
 * What an arena holds.
 *
 * @param slabs slabs taken from the driver
 * @param slabBytes their bytes
 * @param pieces pieces handed out
 * @param pieceBytes their bytes, in whole pages
 * @param freeStretches how many stretches are free
 * @param largestFree bytes of the largest one
 */
public record ArenaStatistics(long slabs, long slabBytes, long pieces, long pieceBytes,
                              long freeStretches, long largestFree) {
    static ArenaStatistics of(long[] n) {
        return new ArenaStatistics(n[0], n[1], n[2], n[3], n[4], n[5]);
    }
}
