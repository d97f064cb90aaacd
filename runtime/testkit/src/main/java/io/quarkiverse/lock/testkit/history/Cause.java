package io.quarkiverse.lock.testkit.history;

/** Why a request ended without the lock. */
public enum Cause {
    /** Somebody else held the lock for the whole wait. */
    BUSY("busy until the end of the wait"),
    /** The caller was interrupted, or cancelled the request. */
    GIVEN_UP("interrupted or cancelled by the caller"),
    /** The store could not be reached, or refused. */
    BACKEND("store not reached, or an error of the store"),
    /** The lock was obtained for a moment, and lost before the caller got it. */
    LOST("lost before it was handed out"),
    /** The lock client was being closed. */
    CLOSED("closed");

    private final String text;

    Cause(String text) {
        this.text = text;
    }

    /** A human-readable description. */
    public String text() {
        return text;
    }
}
