package io.quarkiverse.lock.benchmarks;

import java.util.List;

/** One row of work, done by several sides in turn. */
interface Workload extends AutoCloseable {

    /** The sides that do it; this extension is {@link Bar#OURS}. */
    List<String> sides();

    /**
     * Lets one side do it, and checks that exclusion was kept.
     *
     * @param nanos the approximate duration
     */
    Sample measure(String side, long nanos);

    List<Bar> bars();

    /** Whether it is long enough already: no warm-up, one round. */
    default boolean once() {
        return false;
    }

    @Override
    void close();
}
