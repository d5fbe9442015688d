// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

/**
 * The driver that everything runs on. It opens by itself at the first use; a program may open it
 * its own way.
 */
public final class Driver {
    private Driver() {
    }

    /**
     * Opens a driver.
     *
     * @param library the library's path; empty: what {@code CMM_DRIVER} says, else libcuda.so.1
     * @param apiLevel the highest API level to use, such as 12080; 0: no ceiling of the program's
     *     own
     */
    public static void open(String library, int apiLevel) {
        cmm.openDriver(library, apiLevel);
    }

    /**
     * Opens the simulated driver.
     *
     * @param config its settings, such as "devices=2;numa_nodes=2"
     * @param apiLevel the highest API level to use; 0: no ceiling
     */
    public static void openSimulated(String config, int apiLevel) {
        cmm.openSimulated(config, apiLevel);
    }

    /**
     * Tells which library it is.
     *
     * @return its path
     */
    public static String library() {
        return cmm.driverLibrary();
    }

    /**
     * The driver's version.
     *
     * @return such as 13000
     */
    public static int version() {
        return cmm.driverVersion();
    }

    /**
     * The API level in use: the version under the ceiling.
     *
     * @return such as 12080
     */
    public static int apiLevel() {
        return cmm.apiLevel();
    }

    /**
     * Tells whether it is the simulated one.
     *
     * @return true where it is
     */
    public static boolean isSimulated() {
        return cmm.driverIsSimulated();
    }

    /**
     * Counts the host's NUMA nodes.
     *
     * @return how many there are
     */
    public static int numaNodes() {
        return cmm.numaNodes();
    }

    /**
     * The policy for operations that name none.
     *
     * @return the policy
     */
    public static HintPolicy hintPolicy() {
        return HintPolicy.of(cmm.getHintPolicy());
    }

    /**
     * Sets the policy for operations that name none, for the whole process.
     *
     * @param policy the policy
     */
    public static void setHintPolicy(HintPolicy policy) {
        cmm.setHintPolicy(policy.ordinal());
    }

    /**
     * Frees what was closed and whose work has finished. Every allocation and close does it.
     *
     * @return how many buffers still wait for work
     */
    public static long collect() {
        long waiting = cmm.collectRetired();
        Owners.dropReleased();
        return waiting;
    }

    /** Waits for the work that closed buffers wait for, and frees them all. */
    public static void drain() {
        cmm.drainRetired();
        Owners.dropReleased();
    }
}
