// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.util.Objects;

/**
 * How an operation is carried out.
 *
 * @param strategy how what is left after merging reaches the driver
 * @param hints what a hint that this machine cannot honour does
 */
public record OpOptions(Strategy strategy, HintPolicy hints) {
    /** What operations without options have. */
    public static final OpOptions DEFAULT = new OpOptions(Strategy.AUTOMATIC, HintPolicy.DEFAULT);

    /** Neither may be null. */
    public OpOptions {
        Objects.requireNonNull(strategy, "strategy");
        Objects.requireNonNull(hints, "hints");
    }

    /**
     * The same with another strategy.
     *
     * @param wanted the strategy
     * @return new options
     */
    public OpOptions withStrategy(Strategy wanted) {
        return new OpOptions(wanted, hints);
    }

    /**
     * The same with another hint policy.
     *
     * @param wanted the policy
     * @return new options
     */
    public OpOptions withHints(HintPolicy wanted) {
        return new OpOptions(strategy, wanted);
    }

    int code() {
        return strategy.ordinal() | hints.ordinal() << 8;
    }
}
