package io.quarkiverse.lock.jpa.claim;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.JpaLockBackend;

/**
 * What this JVM has in the database, by token: claims that wait for their answer, and grants. So this is where messages find
 * whom they concern.
 */
public final class ClaimRegistry {

    private static final long LONG_GONE = TimeUnit.MINUTES.toNanos(1);

    private final JpaLockBackend backend;
    private final Map<String, PendingClaim> pending = new ConcurrentHashMap<>();
    private final Map<String, JpaGrant> held = new ConcurrentHashMap<>();
    private volatile int forgottenAt = 1024;

    public ClaimRegistry(JpaLockBackend backend) {
        this.backend = backend;
    }

    public void pending(PendingClaim claim) {
        pending.put(claim.token(), claim);
    }

    public void settled(PendingClaim claim) {
        pending.remove(claim.token(), claim);
    }

    public void granted(JpaGrant grant) {
        held.put(grant.token(), grant);
        if (held.size() > forgottenAt) {
            // A hold that was lost to its deadline is never released, so nothing else takes it out
            long now = backend.time().nanoTime();
            held.values().removeIf(each -> now - each.confirmedAt > each.leaseNanos() + LONG_GONE);
            forgottenAt = Math.max(1024, 2 * held.size());
        }
    }

    public void forget(String token) {
        held.remove(token);
    }

    /** Messages may have been missed. */
    public void recheck() {
        pending.values().forEach(PendingClaim::ask);
        backend.listener().recheck();
    }

    /** What is not known here is of another JVM, or of a claim that is over. */
    public void turn(String token) {
        PendingClaim claim = pending.get(token);
        if (claim != null) {
            claim.turn();
        }
    }

    public void waited(String token) {
        PendingClaim claim = pending.get(token);
        if (claim != null) {
            claim.waitedFor();
        }
        JpaGrant grant = held.get(token);
        if (grant != null) {
            waited(grant);
        }
    }

    /** Messages arrive from now on: those about who waited before were sent to nobody. */
    public void listens() {
        held.values().forEach(this::waited);
    }

    void waited(JpaGrant grant) {
        grant.awaited = true;
        backend.listener().waiters(grant, true);
    }

    public void asked(String token, long fence) {
        @Nullable
        JpaGrant grant = held.get(token);
        if (grant != null && grant.fence() == fence) {
            backend.listener().releaseRequested(grant); // if it is still on its way, its renewal says so
        }
    }

    public void lost(String token, long fence) {
        PendingClaim claim = pending.get(token);
        if (claim != null) {
            claim.ended(fence);
        }
        @Nullable
        JpaGrant grant = held.get(token);
        if (grant != null && grant.fence() == fence) {
            ended(grant);
        }
    }

    void ended(JpaGrant grant) {
        grant.ended = true;
        forget(grant.token());
        backend.listener().lost(grant, "it was released by force");
    }
}
