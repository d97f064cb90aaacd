package io.quarkiverse.lock.testkit.history;

/** Why a request ended without the lock. */
public enum Cause {
    /** The lock is held by another, for all of the wait. */
    BUSY("busy until the end of the wait"),
    /** The caller was interrupted, or cancelled it. */
    GIVEN_UP("interrupted or cancelled by the caller"),
    /** The store could not be asked, or refused. */
    BACKEND("store not reached, or an error of the store"),
    /** The lock was had for a moment, and lost before the caller had it. */
    LOST("lost before it was handed out"),
    /** The client of locks was being closed. */
    CLOSED("closed");

    private final String text;

    Cause(String text) {
        this.text = text;
    }

    /** For people. */
    public String text() {
        return text;
    }
}
