package io.quarkiverse.lock.jpa.claim;

/**
 * The acquire requests of one claim. A request without a reply may wait in some buffer and still be executed, but not after the
 * database time that it carries. Until then, the cleanup of the claim has to allow for that.
 */
public final class Attempts {

    private volatile boolean any;
    private volatile long openUntil;
    private volatile boolean open;

    /** Notes that a request is being sent that is valid until then ({@link System#nanoTime}). */
    public void sending(long until) {
        any = true;
        if (!open || until - openUntil > 0) {
            openUntil = until;
        }
    }

    public void failedWithoutReply() {
        open = true;
    }

    /** Whether the database may contain anything of the claim. */
    public boolean any() {
        return any;
    }

    /** How long from now a request of the claim may still be executed; not positive if none. */
    public long openFor() {
        return open ? openUntil - System.nanoTime() : 0;
    }
}
