package io.quarkiverse.lock.spi;

/** Time as the engine and the backends see it; virtual in tests. */
public interface LockTime {

    /** Monotonic, in nanoseconds; decides all deadlines. */
    long nanoTime();

    /** The wall clock in milliseconds; only compared with {@link #nanoTime} to notice that the machine was suspended. */
    long wallMillis();

    /**
     * Runs a task once after a delay, on a thread that application code cannot block. The task must be short.
     *
     * @param delayNanos the delay from now; at once if not positive
     */
    Timer schedule(long delayNanos, Runnable task);

    /** Blocks the current thread until it is unparked or interrupted, at most for {@code nanos}; may return early. */
    void park(Object blocker, long nanos);

    /** A task that has not run yet. */
    interface Timer {

        /** Prevents the task from running if it has not begun. */
        void cancel();
    }
}
