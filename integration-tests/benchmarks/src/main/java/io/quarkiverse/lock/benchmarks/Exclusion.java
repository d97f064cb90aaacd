package io.quarkiverse.lock.benchmarks;

/** Fails the measurement if a lock does not exclude: its figure would be worthless. */
final class Exclusion {

    private Exclusion() {
    }

    static void check(String side, long cycles, long counted) {
        if (cycles != counted) {
            throw new IllegalStateException(side + " did not exclude: " + cycles + " cycles counted only to " + counted);
        }
        if (cycles == 0) {
            throw new NothingDone(side + " did nothing");
        }
    }

    /** It may have spent all the time connecting. */
    static final class NothingDone extends IllegalStateException {

        private static final long serialVersionUID = 1L;

        NothingDone(String message) {
            super(message);
        }
    }
}
