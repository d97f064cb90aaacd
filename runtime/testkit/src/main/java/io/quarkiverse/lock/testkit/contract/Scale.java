package io.quarkiverse.lock.testkit.contract;

/** How often the tests repeat what only repetition finds: {@code -Dlock.test.scale=10} for ten times as often. */
public final class Scale {

    private static final double FACTOR = Double.parseDouble(System.getProperty("lock.test.scale", "1"));

    private Scale() {
    }

    /** So many times, at least once. */
    public static int times(int usual) {
        return (int) Math.max(1, Math.round(usual * FACTOR));
    }
}
