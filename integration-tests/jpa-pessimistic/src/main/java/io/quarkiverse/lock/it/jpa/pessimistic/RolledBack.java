package io.quarkiverse.lock.it.jpa.pessimistic;

/** Thrown to have a transaction rolled back. */
final class RolledBack extends RuntimeException {

    private static final long serialVersionUID = 1;

    RolledBack() {
        super("as it should be");
    }

    /** The body has to end with it. */
    static void expectedFrom(Runnable body) {
        try {
            body.run();
        } catch (RolledBack e) {
            return;
        }
        throw new IllegalStateException("It was not rolled back");
    }
}
