package io.quarkiverse.lock.redis.quorum;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.connection.ConnectionListener;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;

/** The claims and grants of a backend, to which messages of the servers are told. Event loop only. */
final class Claims implements ConnectionListener {

    private static final String FREE = "H|";
    private static final String LOST = "L|";
    private static final String ASKED = "A|";
    private static final String WAITERS = "W|";

    private final BackendListener listener;
    /** So many may say that a grant is gone, and there is still a majority for it. */
    private final int minority;
    private final Map<Long, QuorumClaim> pending = new HashMap<>();
    private final Map<Long, QuorumGrant> grants = new HashMap<>();

    Claims(BackendListener listener, int minority) {
        this.listener = listener;
        this.minority = minority;
    }

    void add(Claim claim, QuorumClaim asking) {
        pending.put(claim.tokenLow(), asking);
    }

    void remove(Claim claim) {
        pending.remove(claim.tokenLow());
    }

    void granted(QuorumGrant grant) {
        remove(grant.claim());
        grants.put(grant.claim().tokenLow(), grant);
    }

    void forget(QuorumGrant grant) {
        grants.remove(grant.claim().tokenLow());
    }

    private @Nullable QuorumGrant granted(String token) {
        QuorumGrant grant = grants.get(Claim.tokenLow(token));
        return grant != null && grant.claim().hasToken(token) ? grant : null;
    }

    void waiters(QuorumGrant grant, boolean some) {
        if (some) {
            grant.waiterNews++;
        }
        listener.waiters(grant, some);
    }

    /** Somebody asks for it. */
    void releaseRequested(QuorumGrant grant) {
        listener.releaseRequested(grant);
    }

    @Override
    public void recheck() {
        listener.recheck();
        List.copyOf(pending.values()).forEach(QuorumClaim::recheck);
    }

    @Override
    public void disconnected() {
        // The others go on
    }

    @Override
    public void message(String payload) {
        String token = payload.substring(FREE.length());
        if (payload.startsWith(FREE)) {
            QuorumClaim waiting = pending.get(Claim.tokenLow(token));
            if (waiting != null) {
                waiting.hinted();
            }
        } else if (payload.startsWith(LOST)) {
            QuorumGrant grant = granted(token);
            if (grant != null) {
                if (++grant.forced > minority) {
                    forget(grant);
                    listener.lost(grant, "it was released by force");
                } else {
                    listener.recheck();
                }
            }
        } else if (payload.startsWith(ASKED)) {
            QuorumGrant grant = granted(token);
            if (grant != null) {
                releaseRequested(grant); // if it is still on its way, its renewal says so
            }
        } else if (payload.startsWith(WAITERS)) {
            QuorumGrant grant = granted(token);
            if (grant != null) {
                waiters(grant, true); // if it is still on its way, whoever waits asks again soon
            }
        }
    }
}
