package io.quarkiverse.lock.it.jpa.pessimistic;

/** Thrown to cause the rollback of a transaction. */
final class RolledBack extends RuntimeException {

    private static final long serialVersionUID = 1;

    RolledBack() {
        super("as it should be");
    }

    /** The body has to throw it. */
    static void expectedFrom(Runnable body) {
        try {
            body.run();
        } catch (RolledBack e) {
            return;
        }
        throw new IllegalStateException("It was not rolled back");
    }
}
