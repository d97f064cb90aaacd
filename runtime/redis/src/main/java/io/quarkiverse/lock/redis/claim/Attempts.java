package io.quarkiverse.lock.redis.claim;

import java.util.concurrent.TimeUnit;

/**
 * The acquire requests of one claim. One that failed without a reply may still be run by the server, when it comes out of
 * some buffer: then the end of the claim leaves a tombstone that refuses it. One that is on its way over the connection that
 * the end is sent over comes before it, and needs none; over another one it may come behind it. Event loop only.
 */
public final class Attempts {

    /** Of a claim all of whose requests were answered. */
    private static final Attempts ANSWERED = new Attempts(true);

    private final boolean ordered;
    private boolean any;
    private boolean open;
    private boolean mayComeLate;

    /** @param ordered whether all requests of a name go over one connection, so that none overtakes another */
    public Attempts(boolean ordered) {
        this.ordered = ordered;
    }

    public void sent() {
        any = true;
        open = true;
    }

    void replied() {
        open = false;
    }

    void failedWithoutReply() {
        open = false;
        mayComeLate = true;
    }

    /** What a grant has to remember of them, if none is on its way any more. */
    Attempts allAnswered() {
        return mayComeLate ? this : ANSWERED;
    }

    /** Whether there may be something of the claim at the server. */
    boolean any() {
        return any;
    }

    boolean mayComeLate() {
        return mayComeLate || open && !ordered;
    }

    /** For how many milliseconds the server is to refuse later requests of the claim; as the scripts take it. */
    public String tombstone(long leaseNanos) {
        return mayComeLate() ? String.valueOf(tombstoneMillis(leaseNanos)) : "0";
    }

    static long tombstoneMillis(long leaseNanos) {
        return Math.max(60_000, TimeUnit.NANOSECONDS.toMillis(leaseNanos));
    }
}
