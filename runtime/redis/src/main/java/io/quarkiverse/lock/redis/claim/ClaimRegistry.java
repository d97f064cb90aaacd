package io.quarkiverse.lock.redis.claim;

import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.netty.util.collection.LongObjectHashMap;
import io.netty.util.collection.LongObjectMap;
import io.quarkiverse.lock.redis.connection.ConnectionListener;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockTime;

/**
 * What this JVM has at the server, by token: grants, and claims that wait for an answer. Messages and connection changes look
 * up here what they concern. Event loop only.
 */
public final class ClaimRegistry implements ConnectionListener {

    private static final long LONG_GONE = TimeUnit.MINUTES.toNanos(1);

    private final BackendListener listener;
    private final LockTime time;
    private final PendingWithdrawals withdrawals;
    /** Keyed by the half of the token that counts; no key objects, because there may be many. */
    private final LongObjectMap<PendingClaim> pending = new LongObjectHashMap<>();
    /** Has a higher load factor than usual: there may be a hundred thousand grants, and random tokens rarely collide. */
    private final LongObjectMap<RedisGrant> held = new LongObjectHashMap<>(LongObjectHashMap.DEFAULT_CAPACITY, 0.8f);
    private int forgottenAt = 1024;
    /** The calls for several names in flight; only their replies tell what they were granted. */
    private int together;
    private boolean missed;

    public ClaimRegistry(BackendListener listener, LockTime time, PendingWithdrawals withdrawals) {
        this.listener = listener;
        this.time = time;
        this.withdrawals = withdrawals;
    }

    void pending(PendingClaim claim) {
        pending.put(claim.claim().tokenLow(), claim);
    }

    /** The number of claims that wait for an answer. */
    public int pending() {
        return pending.size();
    }

    void settled(PendingClaim claim) {
        pending.remove(claim.claim().tokenLow());
    }

    void granted(RedisGrant grant) {
        held.put(grant.claim().tokenLow(), grant);
        if (held.size() > forgottenAt) {
            // A hold that was lost to its deadline is never released, so nothing else removes it.
            long now = time.nanoTime();
            held.values().removeIf(each -> now - each.sentAt() > each.leaseNanos() + LONG_GONE && !each.keptAt(now));
            forgottenAt = Math.max(1024, 2 * held.size());
        }
    }

    public void forget(Claim claim) {
        held.remove(claim.tokenLow());
    }

    /**
     * The server no longer has it. Nobody will release it, so its withdrawal is what refuses a request that comes late. If it
     * is being released, that does: a withdrawal would also end the time for which the name is to stay taken.
     */
    public void gone(RedisGrant grant) {
        forget(grant.claim());
        if (!grant.releaseTried && grant.attempts().mayComeLate()) {
            withdrawals.add(grant.claim(), grant.attempts());
        }
    }

    void askingTogether() {
        together++;
    }

    /**
     * A call for several names has been answered, or no longer needs an answer.
     *
     * @return whether a message about its grants may have overtaken the reply: then everything must be checked once the grants
     *         are handed out
     */
    boolean askedTogether() {
        boolean any = missed;
        if (--together == 0) {
            missed = false;
        }
        return any;
    }

    private void unknown() {
        if (together > 0) {
            missed = true;
        }
    }

    private @Nullable PendingClaim pending(String token) {
        PendingClaim found = pending.get(Claim.tokenLow(token));
        return found != null && found.claim().hasToken(token) ? found : null;
    }

    private @Nullable RedisGrant held(String token) {
        RedisGrant found = held.get(Claim.tokenLow(token));
        return found != null && found.claim().hasToken(token) ? found : null;
    }

    /**
     * @param ticket the name's last ticket at the time of the news, or the grant's fence, which serves as a ticket of that time
     */
    public void waiters(RedisGrant grant, boolean some, long ticket) {
        if (grant.isNewest(some, ticket)) {
            listener.waiters(grant, some);
        }
    }

    public void releaseRequested(RedisGrant grant) {
        listener.releaseRequested(grant);
    }

    /** Has every grant renewed. */
    void recheckGrants() {
        listener.recheck();
    }

    void ended(RedisGrant grant) {
        gone(grant);
        listener.lost(grant, "it was released by force");
    }

    @Override
    public void recheck() {
        for (PendingClaim each : List.copyOf(pending.values())) {
            each.recheck();
        }
        unknown(); // what calls for several names will be granted
        recheckGrants();
    }

    @Override
    public void disconnected() {
        for (RedisGrant each : List.copyOf(held.values())) {
            listener.suspect(each);
        }
    }

    /**
     * Messages about unknown tokens are ignored: a release could free a live hold of another life of the claim. Messages and
     * replies use different connections, so a message about a grant may arrive before the grant. When one call asks for several
     * names, their tokens are unknown here until the reply; a renewal then tells what was missed.
     */
    @Override
    public void message(int server, String payload) {
        if (payload.length() < 3) {
            return;
        }
        // Its parts are parsed in place: somebody waits for what the message brings, and most JVMs see few messages
        int end = end(payload, 2);
        String token = payload.substring(2, end);
        switch (payload.charAt(0)) {
            case 'G' -> {
                PendingClaim claim = pending(token);
                if (claim != null) {
                    int endOfFence = end(payload, end + 1);
                    claim.pushed(Long.parseLong(payload, end + 1, endOfFence, 10),
                            Integer.parseInt(payload, endOfFence + 1, payload.length(), 10));
                }
            }
            case 'R' -> {
                RedisGrant grant = held(token);
                PendingClaim claim = pending(token);
                if (grant != null) {
                    waiters(grant, true, ticket(payload, end));
                } else if (claim != null) {
                    claim.waitedFor(ticket(payload, end));
                } else {
                    unknown();
                }
            }
            case 'L' -> {
                RedisGrant grant = held(token);
                PendingClaim claim = pending(token);
                long fence = Long.parseLong(payload, end + 1, payload.length(), 10);
                if (grant != null && grant.fence() == fence) {
                    ended(grant);
                } else if (claim != null) {
                    claim.ended(fence);
                } else if (grant == null) {
                    unknown();
                }
            }
            case 'A' -> {
                RedisGrant grant = held(token);
                if (grant != null) {
                    releaseRequested(grant); // if the grant is still on its way, its renewal tells
                }
            }
            default -> {
            }
        }
    }

    private static long ticket(String payload, int endOfToken) {
        return Long.parseLong(payload, endOfToken + 1, payload.length(), 10);
    }

    /** The end of the message part that begins there. */
    private static int end(String payload, int from) {
        int bar = payload.indexOf('|', from);
        return bar < 0 ? payload.length() : bar;
    }
}
