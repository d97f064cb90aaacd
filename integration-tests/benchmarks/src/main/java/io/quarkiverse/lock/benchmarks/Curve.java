package io.quarkiverse.lock.benchmarks;

import java.util.List;

/** How the cost of a lock grows with one quantity: a line for each side, a point for each size. */
interface Curve {

    /** The name of its file. */
    String name();

    String title();

    /** The quantity that grows. */
    String across();

    /** The cost, and its unit. */
    String up();

    /** The measured sides; this extension is {@link Bar#OURS}. */
    List<String> sides();

    /** In ascending order. */
    List<Integer> sizes();

    /**
     * The cost for one side at one size.
     *
     * @param nanos how long to measure, approximately
     */
    double measure(String side, int size, long nanos);
}
