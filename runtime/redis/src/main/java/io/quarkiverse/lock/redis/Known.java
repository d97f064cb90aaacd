package io.quarkiverse.lock.redis;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What this JVM has at the server, by token: claims that wait for their answer, and grants. So this is where messages and news
 * of
 * the connection find whom they concern. On the loop only.
 */
final class Known implements RedisLink.User {

    private static final long LONG_GONE = TimeUnit.MINUTES.toNanos(1);

    private final RedisLockBackend backend;
    private final Map<String, PendingClaim> pending = new HashMap<>();
    private final Map<String, RedisGrant> held = new HashMap<>();
    private int forgottenAt = 1024;

    Known(RedisLockBackend backend) {
        this.backend = backend;
    }

    void pending(PendingClaim claim) {
        pending.put(claim.token(), claim);
    }

    /** How many claims wait for their answer. */
    int pending() {
        return pending.size();
    }

    void settled(PendingClaim claim) {
        pending.remove(claim.token());
    }

    void granted(RedisGrant grant) {
        held.put(grant.token(), grant);
        if (held.size() > forgottenAt) {
            // A hold that was lost to its deadline is never released, so nothing else takes it out.
            long now = backend.time().nanoTime();
            held.values().removeIf(each -> now - each.confirmedAt > each.leaseNanos() + LONG_GONE);
            forgottenAt = Math.max(1024, 2 * held.size());
        }
    }

    void forget(String token) {
        held.remove(token);
    }

    @Override
    public void recheck() {
        reachable();
        backend.listener().recheck();
    }

    @Override
    public void reachable() {
        for (PendingClaim each : List.copyOf(pending.values())) {
            each.ask();
        }
    }

    @Override
    public void disconnected() {
        for (RedisGrant each : List.copyOf(held.values())) {
            backend.listener().suspect(each);
        }
    }

    /** What is not known here is ignored: releasing on it could free a live hold of another life of the claim. */
    @Override
    public void message(String payload) {
        String[] part = payload.split("\\|");
        switch (part[0]) {
            case "G" -> {
                PendingClaim claim = pending.get(part[1]);
                if (claim != null) {
                    claim.pushed(Long.parseLong(part[2]));
                }
            }
            case "R" -> {
                RedisGrant grant = held.get(part[1]);
                if (grant != null) {
                    backend.listener().waiters(grant, true);
                }
            }
            case "L" -> {
                RedisGrant grant = held.get(part[1]);
                if (grant != null && grant.fence() == Long.parseLong(part[2])) {
                    forget(part[1]);
                    backend.listener().lost(grant, "it was released by force");
                }
            }
            default -> {
            }
        }
    }
}
