package io.quarkiverse.lock.redis.quorum;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.connection.ConnectionListener;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockTime;

/** The claims and grants of a backend, which receive the messages of the servers. Event loop only. */
final class Claims implements ConnectionListener {

    private static final long LONG_GONE = TimeUnit.MINUTES.toNanos(1);

    private static final String FREE = "H|";
    private static final String LOST = "L|";
    private static final String ASKED = "A|";
    private static final String WAITERS = "W|";

    private final BackendListener listener;
    /** This many servers may say that a grant is gone while a majority still has it. */
    private final int minority;
    private final LockTime time;
    private final Consumer<QuorumGrant> gaps;
    private final Map<Long, QuorumClaim> pending = new HashMap<>();
    private final Map<Long, QuorumGrant> grants = new HashMap<>();
    private int forgottenAt = 1024;

    /** @param gaps notified of grants that some server does not have */
    Claims(BackendListener listener, int minority, LockTime time, Consumer<QuorumGrant> gaps) {
        this.listener = listener;
        this.time = time;
        this.minority = minority;
        this.gaps = gaps;
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
        if (grants.size() > forgottenAt) {
            // A hold that was lost to its deadline is never released, so nothing else removes it.
            long now = time.nanoTime();
            grants.values().removeIf(each -> now - each.sentAt() > each.leaseNanos() + LONG_GONE && !each.keptAt(now));
            forgottenAt = Math.max(1024, 2 * grants.size());
        }
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

    /** Somebody asks for its release. */
    void releaseRequested(QuorumGrant grant) {
        listener.releaseRequested(grant);
    }

    /** Passes on what was heard of it before. */
    void handedOut(QuorumGrant grant, boolean othersWait) {
        waiters(grant, othersWait);
        if (grant.forcedAt != 0) {
            listener.recheck(); // fewer than a majority may have it
        }
    }

    /** Some server may not have the grant, and could have it now. */
    void gap(QuorumGrant grant) {
        gaps.accept(grant);
    }

    /** It was not lost, and its release has not begun. */
    boolean keeps(QuorumGrant grant) {
        return grants.get(grant.claim().tokenLow()) == grant;
    }

    @Override
    public void recheck() {
        listener.recheck();
        List.copyOf(pending.values()).forEach(QuorumClaim::recheck);
    }

    @Override
    public void disconnected() {
        // The other servers go on
    }

    @Override
    public void message(int server, String payload) {
        String token = payload.substring(FREE.length());
        QuorumClaim asking = pending.get(Claim.tokenLow(token));
        QuorumGrant grant = granted(token);
        if (payload.startsWith(LOST)) {
            forced(server, token);
        } else if (payload.startsWith(FREE)) {
            if (asking != null) {
                asking.hinted();
            } else if (grant != null) {
                gap(grant); // granted by the others, while somebody else still had the name at this server
            }
        } else if (payload.startsWith(ASKED)) {
            if (grant != null) {
                releaseRequested(grant); // if the grant is still on its way, its renewal tells
            }
        } else if (payload.startsWith(WAITERS)) {
            if (grant != null) {
                waiters(grant, true);
            } else if (asking != null) {
                asking.othersWait();
            }
        }
    }

    /** @param ended a claim and one of its attempts */
    private void forced(int server, String ended) {
        int bar = ended.indexOf('|');
        if (bar < 0) {
            return;
        }
        String token = ended.substring(0, bar);
        int attempt = Integer.parseInt(ended.substring(bar + 1));
        QuorumClaim asking = pending.get(Claim.tokenLow(token));
        QuorumGrant grant = granted(token);
        if (asking != null) {
            asking.forced(server, attempt);
        } else if (grant != null && attempt == grant.asks().attempt()) {
            // One that is forced again and again is told again of the grant in between
            grant.forcedAt |= 1L << server;
            if (Long.bitCount(grant.forcedAt) > minority) {
                forget(grant);
                listener.lost(grant, "it was released by force");
            } else {
                listener.recheck();
            }
        }
    }
}
