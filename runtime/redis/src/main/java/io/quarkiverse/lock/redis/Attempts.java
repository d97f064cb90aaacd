package io.quarkiverse.lock.redis;

/**
 * The acquire requests of one claim that are not answered. While there are any, the server may still run one after the claim
 * is over, so the end of the claim leaves a tombstone that refuses them. Loop only.
 */
final class Attempts {

    private int unanswered;
    private boolean any;

    void sent() {
        any = true;
        unanswered++;
    }

    void answered() {
        unanswered--;
    }

    /** Whether there may be something of the claim at the server. */
    boolean any() {
        return any;
    }

    boolean mayComeLate() {
        return unanswered > 0;
    }
}
