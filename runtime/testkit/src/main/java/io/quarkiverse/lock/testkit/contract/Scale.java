package io.quarkiverse.lock.testkit.contract;

/**
 * How often the tests repeat what only repetition finds: {@code -Dlock.test.scale=1} for as often as the fault list says, which
 * is the default outside this project's own build.
 */
public final class Scale {

    private static final double FACTOR = Double.parseDouble(System.getProperty("lock.test.scale", "1"));

    private Scale() {
    }

    /** {@code usual} times at scale 1, at least once. */
    public static int times(int usual) {
        return times(usual, 1);
    }

    /** {@code usual} times at scale 1, and never fewer than {@code least}, below which the test would show nothing. */
    public static int times(int usual, int least) {
        return times(usual, least, 1);
    }

    /** The same where only a part of the repetitions is needed. */
    static int times(int usual, int least, double part) {
        return (int) Math.max(least, Math.round(usual * FACTOR * part));
    }
}
