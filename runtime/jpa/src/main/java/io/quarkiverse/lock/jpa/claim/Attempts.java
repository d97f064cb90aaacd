package io.quarkiverse.lock.jpa.claim;

/**
 * The acquire requests of one claim. One that has no reply may still come out of some buffer and be executed, but not after the
 * database's time that it carries: until then the end of the claim has to be looked after.
 */
public final class Attempts {

    private volatile boolean any;
    private volatile long openUntil;
    private volatile boolean open;

    /** A request is sent that counts until then ({@link System#nanoTime}). */
    public void sending(long until) {
        any = true;
        if (!open || until - openUntil > 0) {
            openUntil = until;
        }
    }

    public void failedWithoutReply() {
        open = true;
    }

    /** Whether there may be something of the claim in the database. */
    public boolean any() {
        return any;
    }

    /** For how long from now a request of the claim may still be executed; not positive if none. */
    public long openFor() {
        return open ? openUntil - System.nanoTime() : 0;
    }
}
