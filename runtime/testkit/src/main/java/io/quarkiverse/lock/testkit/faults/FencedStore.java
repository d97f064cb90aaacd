package io.quarkiverse.lock.testkit.faults;

/** Data that is written under a lock: once behind a fence, once without one. */
final class FencedStore {

    private long highest;
    private String fenced = "";
    private String unfenced = "";

    /** Returns whether the fence let the write through. */
    synchronized boolean write(long token, String value) {
        unfenced = value;
        if (token < highest) {
            return false;
        }
        highest = token;
        fenced = value;
        return true;
    }

    synchronized String fenced() {
        return fenced;
    }

    /** The value where nobody compares tokens. */
    synchronized String unfenced() {
        return unfenced;
    }
}
