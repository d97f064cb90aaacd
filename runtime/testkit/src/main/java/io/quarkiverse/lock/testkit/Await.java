package io.quarkiverse.lock.testkit;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Waits for a condition instead of sleeping: as briefly as possible, and never forever.
 *
 * <pre>{@code
 * Await.until("the name is free", Duration.ofSeconds(5), () -> locks.inspect("stock-7").isEmpty());
 * }</pre>
 */
public final class Await {

    private static final long FIRST_PAUSE = 200_000;
    private static final long LONGEST_PAUSE = 10_000_000;

    private Await() {
    }

    /** Returns as soon as {@code condition} holds. Otherwise throws an {@link AssertionError} that contains {@code what}. */
    public static void until(String what, Duration atMost, Callable<Boolean> condition) {
        until(() -> what, atMost, condition);
    }

    /** As {@link #until(String, Duration, Callable)}, with a description that is only built if the wait fails. */
    public static void until(Supplier<String> what, Duration atMost, Callable<Boolean> condition) {
        until(what, () -> atMost, condition);
    }

    /**
     * As {@link #until(Supplier, Duration, Callable)}, with a time that may grow meanwhile, as with each stall of the machine.
     */
    public static void until(Supplier<String> what, Supplier<Duration> atMost, Callable<Boolean> condition) {
        long from = System.nanoTime();
        long pause = FIRST_PAUSE;
        while (true) {
            boolean last = System.nanoTime() - from >= atMost.get().toNanos();
            if (holds(condition)) {
                return;
            }
            if (last) {
                throw new AssertionError("Not within " + atMost.get() + ": " + what.get());
            }
            LockSupport.parkNanos(pause);
            pause = Math.min(pause * 2, LONGEST_PAUSE);
        }
    }

    /** Fails as soon as {@code condition} no longer holds within {@code time}: for what must not happen. */
    public static void during(String what, Duration time, Callable<Boolean> condition) {
        long deadline = System.nanoTime() + time.toNanos();
        do {
            if (!holds(condition)) {
                throw new AssertionError("Not all the time for " + time + ": " + what);
            }
            LockSupport.parkNanos(LONGEST_PAUSE);
        } while (System.nanoTime() - deadline < 0);
    }

    private static boolean holds(Callable<Boolean> condition) {
        try {
            return condition.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
