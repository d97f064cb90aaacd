package io.quarkiverse.lock.benchmarks;

import java.util.List;

/** One row of work, done by several sides in turn. */
interface Workload extends AutoCloseable {

    /** Who does it; ours is {@link Bar#OURS}. */
    List<String> sides();

    /**
     * Lets one side do it, and checks that exclusion was kept.
     *
     * @param nanos for about how long
     */
    Sample measure(String side, long nanos);

    List<Bar> bars();

    /** It is long enough as it is: no warm-up, one round. */
    default boolean once() {
        return false;
    }

    @Override
    void close();
}
