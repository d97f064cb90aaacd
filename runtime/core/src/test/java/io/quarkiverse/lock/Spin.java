package io.quarkiverse.lock;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for another thread, which a parked one would notice too late: never forever. */
public final class Spin {

    private static final int FAST = 10_000;
    private static final long LONGEST = TimeUnit.MINUTES.toNanos(1);

    private Spin() {
    }

    /** Returns as soon as {@code condition} holds. Otherwise throws an {@link AssertionError} that contains {@code what}. */
    public static void until(String what, BooleanSupplier condition) {
        long from = 0;
        for (int spins = 0; !condition.getAsBoolean(); spins++) {
            if (spins < FAST) {
                Thread.onSpinWait();
            } else if (spins == FAST) {
                from = System.nanoTime();
            } else if (System.nanoTime() - from > LONGEST) {
                throw new AssertionError("Not within a minute: " + what);
            } else {
                Thread.yield();
            }
        }
    }
}
