package io.quarkiverse.lock.redis;

/**
 * The acquire requests of one claim. One that failed without a reply may still be run by the server, when it comes out of
 * some buffer: then the end of the claim leaves a tombstone that refuses it. One that is on its way over the connection that
 * the end is sent over comes before it, and needs none. Loop only.
 */
final class Attempts {

    /** Of a claim all of whose requests were answered. */
    private static final Attempts ANSWERED = new Attempts();

    private boolean any;
    private boolean mayComeLate;

    void sent() {
        any = true;
    }

    void failedWithoutReply() {
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
        return mayComeLate;
    }
}
