package io.quarkiverse.lock.jpa.claim;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.notify.Notification;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.LockTime;

/** This JVM's waiting claims and grants, by token. Incoming messages find their target here. */
public final class ClaimRegistry implements Consumer<Notification> {

    private static final long LONG_GONE = TimeUnit.MINUTES.toNanos(1);

    private final BackendListener listener;
    private final LockTime time;
    private final PendingWithdrawals withdrawals;
    private final Map<String, PendingClaim> pending = new ConcurrentHashMap<>();
    private final Map<String, JpaGrant> held = new ConcurrentHashMap<>();
    private volatile int forgottenAt = 1024;

    public ClaimRegistry(BackendListener listener, LockTime time, PendingWithdrawals withdrawals) {
        this.listener = listener;
        this.time = time;
        this.withdrawals = withdrawals;
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
            // A hold that was lost to its deadline is never released, so nothing else removes it
            long now = time.nanoTime();
            held.values().removeIf(each -> now - each.confirmedAt > each.leaseNanos() + LONG_GONE && !each.keptAt(now));
            forgottenAt = Math.max(1024, 2 * held.size());
        }
    }

    void forget(String token) {
        held.remove(token);
    }

    /**
     * Nobody uses it any more: it was given back, only keeps its name, or has gone. A request of its claim that comes late must
     * not take the name again, as nobody would give it back.
     */
    public void over(JpaGrant grant) {
        forget(grant.token());
        if (grant.attempts().openFor() > 0) {
            withdrawals.begin(grant.id());
            withdrawals.withdraw(grant.id(), grant.claim(), grant.attempts());
        }
    }

    /** An unknown token belongs to another JVM, or to a claim that is over. */
    @Override
    public void accept(Notification notification) {
        switch (notification.kind()) {
            case TURN -> turn(notification.token());
            case WAITED -> waited(notification.token());
            case LOST -> lost(notification.token(), notification.fence());
            case ASKED -> asked(notification.token(), notification.fence());
            case LISTENING -> listens();
            case MISSED -> recheck();
        }
    }

    private void recheck() {
        pending.values().forEach(PendingClaim::ask);
        listener.recheck();
    }

    private void turn(String token) {
        PendingClaim claim = pending.get(token);
        if (claim != null) {
            claim.turn();
        }
    }

    private void waited(String token) {
        PendingClaim claim = pending.get(token);
        if (claim != null) {
            claim.waitedFor();
        }
        JpaGrant grant = held.get(token);
        if (grant != null) {
            waited(grant);
        }
    }

    /** From now on messages arrive. Earlier ones about waiters reached nobody. */
    private void listens() {
        held.values().forEach(this::waited);
    }

    void waited(JpaGrant grant) {
        grant.awaited = true;
        listener.waiters(grant, true);
    }

    private void asked(String token, long fence) {
        @Nullable
        JpaGrant grant = held.get(token);
        if (grant != null && grant.fence() == fence) {
            listener.releaseRequested(grant); // if it has not arrived yet, its renewal will say so
        }
    }

    private void lost(String token, long fence) {
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
        over(grant);
        listener.lost(grant, "it was released by force");
    }
}
