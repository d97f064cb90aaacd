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
 * What this JVM has at the server, by token: claims that wait for their answer, and grants. Messages and changes of the
 * connection find here whom they concern. Event loop only.
 */
public final class ClaimRegistry implements ConnectionListener {

    private static final long LONG_GONE = TimeUnit.MINUTES.toNanos(1);

    private final BackendListener listener;
    private final LockTime time;
    /** By the half of the token that counts; without an object for each, as there may be many. */
    private final LongObjectMap<PendingClaim> pending = new LongObjectHashMap<>();
    /** Filled further than usual: there may be a hundred thousand of them, and tokens are random, so that few meet. */
    private final LongObjectMap<RedisGrant> held = new LongObjectHashMap<>(LongObjectHashMap.DEFAULT_CAPACITY, 0.8f);
    private int forgottenAt = 1024;
    /** Calls for several names that are under way: what they are granted is known here by their replies only. */
    private int together;
    private boolean missed;

    public ClaimRegistry(BackendListener listener, LockTime time) {
        this.listener = listener;
        this.time = time;
    }

    void pending(PendingClaim claim) {
        pending.put(claim.claim().tokenLow(), claim);
    }

    /** How many claims wait for their answer. */
    public int pending() {
        return pending.size();
    }

    void settled(PendingClaim claim) {
        pending.remove(claim.claim().tokenLow());
    }

    void granted(RedisGrant grant) {
        held.put(grant.claim().tokenLow(), grant);
        if (held.size() > forgottenAt) {
            // A hold that was lost to its deadline is never released, so nothing else takes it out.
            long now = time.nanoTime();
            held.values().removeIf(each -> now - each.sentAt() > each.leaseNanos() + LONG_GONE);
            forgottenAt = Math.max(1024, 2 * held.size());
        }
    }

    public void forget(Claim claim) {
        held.remove(claim.tokenLow());
    }

    void askingTogether() {
        together++;
    }

    /**
     * A call for several names has its reply, or wants none any more.
     *
     * @return whether a message that has overtaken the reply may have been about what it was granted: once that is handed out
     *         everything is to be checked
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

    /** @param ticket the last one of the name when it was so, or the fence of the grant, which was one then */
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
        forget(grant.claim());
        listener.lost(grant, "it was released by force");
    }

    @Override
    public void recheck() {
        for (PendingClaim each : List.copyOf(pending.values())) {
            each.recheck();
        }
        unknown(); // what those who ask together will be granted
        recheckGrants();
    }

    @Override
    public void disconnected() {
        for (RedisGrant each : List.copyOf(held.values())) {
            listener.suspect(each);
        }
    }

    /**
     * What is not known here is ignored: releasing on it could free a live hold of another life of the claim. Messages and
     * replies come over different connections, so a message about a grant may be here before the grant is. Of several names
     * that are asked for in one call the tokens are not known here before the reply: a renewal says then what was missed.
     */
    @Override
    public void message(String payload) {
        if (payload.length() < 3) {
            return;
        }
        // Its parts are found in place: somebody waits for what a message brings, and most JVMs see few of them
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
                    releaseRequested(grant); // if it is still on its way, its renewal says so
                }
            }
            default -> {
            }
        }
    }

    private static long ticket(String payload, int endOfToken) {
        return Long.parseLong(payload, endOfToken + 1, payload.length(), 10);
    }

    /** Of the part of a message that begins there. */
    private static int end(String payload, int from) {
        int bar = payload.indexOf('|', from);
        return bar < 0 ? payload.length() : bar;
    }
}
