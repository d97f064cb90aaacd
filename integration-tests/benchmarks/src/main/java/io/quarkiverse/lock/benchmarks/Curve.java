package io.quarkiverse.lock.benchmarks;

import java.util.List;

/** How the cost of a lock grows with one quantity: a line for each side, a point for each size. */
interface Curve {

    /** Of its file. */
    String name();

    String title();

    /** What grows. */
    String across();

    /** What it costs, and the unit. */
    String up();

    /** Who is measured; ours is {@link Bar#OURS}. */
    List<String> sides();

    /** From small to large. */
    List<Integer> sizes();

    /**
     * What it costs one side at one size.
     *
     * @param nanos for about how long to measure
     */
    double measure(String side, int size, long nanos);
}
