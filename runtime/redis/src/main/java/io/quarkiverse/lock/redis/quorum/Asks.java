package io.quarkiverse.lock.redis.quorum;

/**
 * The requests of one claim for its name that a server may still run: those without a reply. Only they make a tombstone
 * necessary. Event loop only.
 */
final class Asks {

    private final int[] open;
    private int attempt;

    Asks(int servers) {
        open = new int[servers];
    }

    /** Another attempt begins; its number distinguishes its requests from those of earlier attempts. */
    int next() {
        return ++attempt;
    }

    int attempt() {
        return attempt;
    }

    void sent(QuorumServer server) {
        open[server.index]++;
    }

    void over(QuorumServer server) {
        open[server.index]--;
    }

    boolean mayComeLate(QuorumServer server) {
        return open[server.index] > 0;
    }
}
