// SPDX-License-Identifier: Apache-2.0
/**
 * CUDA managed memory: where managed buffers should live (advice), moving them (prefetch, discard)
 * and copying many at once.
 *
 * <pre>{@code
 * try (var resource = ManagedMemoryResource.create();
 *      var stream = Stream.create();
 *      var weights = resource.allocate(1 << 20)) {
 *     weights.setReadMostly(true).setPreferredLocation(Device.of(0));
 *     Ops.prefetch(weights, Device.of(0), stream);
 *     stream.sync();
 * }
 * }</pre>
 *
 * <p>Every object that stands for something of the driver is {@link java.lang.AutoCloseable}; one
 * that is not closed is closed once it is unreachable. Closing twice does nothing, and use after
 * close is an exception:
 * {@link io.github.cmm.ClosedException}. Work in flight keeps the memory that it needs, whatever is
 * closed.
 *
 * <p>Everything may be used by many threads at once. The native libraries come out of the jar, or
 * from the folder that the system property {@code cmm.library.path} names, or from {@code
 * java.library.path}. The environment variable {@code CMM_DRIVER=sim} chooses the simulated driver
 * that comes along.
 */
package io.github.cmm;
