package io.quarkiverse.lock.engine.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.news.Events;
import io.quarkiverse.lock.engine.news.LossReasons;
import io.quarkiverse.lock.engine.state.Lease;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.engine.state.Patience;
import io.quarkiverse.lock.engine.state.Sent;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.text.PrintableName;

/**
 * Keeps leases alive, and ends those that could not be kept. One timer serves all leases: it fires when the first one needs
 * attention, checks every lease, and renews in batches those due now or soon. An uncontended lock and unlock costs one
 * comparison here and no timer.
 */
public final class Renewals {

    private static final Logger LOG = Logger.getLogger(Renewals.class);

    /** A lease that is due within this part of its length is renewed along with the rest, to keep runs few. */
    private static final int SOON = 60;
    /** How long a grant pushed to this JVM may be used before its confirmation is sent. */
    private static final long UNCONFIRMED = TimeUnit.MILLISECONDS.toNanos(100);
    /**
     * How soon to try again if a run fails. The shortest lease takes 1 s, of which the margin is half at most, and is renewed
     * after a third: it outlives two failures in a row.
     */
    private static final long AFTER_FAILURE = TimeUnit.MILLISECONDS.toNanos(50);

    private final LockBackend backend;
    private final LockTime time;
    private final Events events;
    private final NameTable names;
    private final Losses losses;
    private final LeaseLengths lengths;
    private final EarliestTimer timer;
    /** A renewal sent before this time confirms nothing: the connection or the server has been in doubt since. */
    private volatile long confirmsFrom = Long.MIN_VALUE;
    /** A renewal sent before this time ends no distrust: the process may have been frozen since. */
    private volatile long trustsFrom = Long.MIN_VALUE;

    public Renewals(LockBackend backend, LockTime time, Events events, NameTable names, Losses losses,
            LeaseLengths lengths) {
        this.backend = backend;
        this.time = time;
        this.events = events;
        this.names = names;
        this.losses = losses;
        this.lengths = lengths;
        this.timer = new EarliestTimer(time, this::run);
    }

    /** A lease is new, or needs attention earlier than before. */
    public void added(Lease lease) {
        timer.runAt(needsAt(lease));
    }

    /**
     * Like {@link #added}, for a lease that has replaced another one in its queue, or is renewed no longer. A doubt that arose
     * meanwhile may have met only what was before; whoever doubts says so before looking for leases, so it is known here.
     */
    public void replaced(Lease lease) {
        added(lease);
        if (doubtedSinceSent(lease)) {
            if (lease.grant.sentAt() < trustsFrom) {
                lease.distrustClocks();
            }
            renewSoon(lease);
        }
    }

    /** With the next renewals, which begin now. */
    public void renewSoon(Lease lease) {
        lease.renewalDue(time.nanoTime());
        timer.runAt(time.nanoTime());
    }

    /** The lease must be confirmed at once. If that fails, it is retried only as often as any unanswered renewal. */
    public void clocksParted(Lease lease) {
        if (lease.firstSeenParted()) {
            renewSoon(lease);
        }
    }

    /** Confirms the lease now, by a renewal sent from now on. */
    public void recheck(Lease lease) {
        confirmsFrom = time.nanoTime(); // before it is due, see confirm()
        lease.queue.doubtIfKept(lease);
        renewSoon(lease);
    }

    /** Confirms this name's lease now, if there is one here. */
    public void recheck(String name) {
        NameQueue queue = names.ifKnown(name);
        for (Lease lease = queue == null ? null : queue.lease(); lease != null; lease = lease.next()) {
            recheck(lease);
        }
    }

    /** Renews this name's lease now instead of later, if there is one here that is renewed at all. */
    public void renewNow(String name) {
        NameQueue queue = names.ifKnown(name);
        for (Lease lease = queue == null ? null : queue.lease(); lease != null; lease = lease.next()) {
            if (lease.renewalDue() != Long.MAX_VALUE) {
                renewSoon(lease);
            }
        }
    }

    /** Confirms every lease now, by a renewal sent from now on. */
    public void recheckAll() {
        long now = time.nanoTime();
        confirmsFrom = now;
        for (NameQueue queue : names.all()) {
            for (Lease lease = queue.lease(); lease != null; lease = lease.next()) {
                lease.renewalDue(now);
                queue.doubtIfKept(lease);
            }
        }
        timer.runAt(now);
    }

    /** Like {@link #recheckAll}, but no lease is valid until it is confirmed. */
    public void recheckBeforeUse() {
        trustsFrom = time.nanoTime(); // both first: an answer to an older request must not end the distrust
        confirmsFrom = trustsFrom;
        for (NameQueue queue : names.all()) {
            for (Lease lease = queue.lease(); lease != null; lease = lease.next()) {
                lease.distrustClocks();
            }
        }
        recheckAll();
    }

    /** Whether a doubt has arisen since the request behind the lease's last confirmation. */
    boolean doubtedSinceSent(Lease lease) {
        return lease.grant.sentAt() < confirmsFrom;
    }

    public void stop() {
        timer.stop();
    }

    private static long needsAt(Lease lease) {
        return Math.min(lease.renewalDue(), lease.deadline());
    }

    private void run() {
        long next = Long.MAX_VALUE;
        Throwable failure = null;
        List<Lease> due = List.of();
        try {
            due = new ArrayList<>();
            for (NameQueue queue : names.all()) {
                for (Lease lease = queue.lease(); lease != null; lease = lease.next()) {
                    if (look(lease, due)) {
                        next = Math.min(next, needsAt(lease));
                    }
                }
            }
            new RenewalSweep(due.stream().map(lease -> lease.grant).toList(), this::confirm).start();
            due.clear(); // all are sent, or once others are answered; if no answer comes, they are due again
            names.cleanUp();
        } catch (RuntimeException | Error e) {
            failure = e;
            long now = time.nanoTime();
            for (int i = 0; i < due.size(); i++) { // without an iterator: there may be no memory for it
                due.get(i).renewalDue(now); // it may not have been sent
            }
            next = now + AFTER_FAILURE;
        }
        timer.runAgainAt(next);
        if (failure != null) { // only now, since the log may fail as well
            LOG.error("Renewing locks failed; trying again shortly", failure);
        }
    }

    /** Whether the lease lives on. */
    private boolean look(Lease lease, List<Lease> due) {
        if (lease.queue.keeps(lease)) {
            return false; // nobody holds it
        }
        long now = time.nanoTime();
        if (now >= lease.deadline()) {
            losses.lose(lease, LossReasons.atDeadline(lease));
            return false;
        }
        if (lease.renewalDue() - now <= lease.paceNanos() / SOON
                || lease.clocksParted() && lease.firstSeenParted()) {
            lease.renewalDue(now); // it remains due if there is no memory: that the clocks have diverged is seen only once
            if (lease.holder().onlyTurn()) {
                confirm(lease.grant, Sent.now(time), false); // there is nobody to ask: nothing but this JVM can end it
            } else {
                due.add(lease); // first: if anything fails from now on, it is due again
                underWay(lease, now);
            }
        }
        return true;
    }

    /** A renewal is about to be sent. If no answer comes at all, it is due again some time after the operation timeout. */
    private void underWay(Lease lease, long now) {
        lease.renewalDue(now + backend.operationTimeout().toNanos() + retryDelay(lease));
    }

    /**
     * For a grant that the backend keeps for only a few seconds unless it is confirmed. Under contention most such grants are
     * given back before that, which saves their holders and waiters the call. The lease must be {@link #added} once its caller
     * knows of it.
     */
    void unconfirmed(Lease lease, long now) {
        lease.renewalDue(now + UNCONFIRMED);
    }

    /** The current thread waits for the answer. */
    public void confirmBlocking(List<Grant> batch) {
        batch.forEach(grant -> lengths.beforeRenewal(names.leaseOf(grant)));
        Sent sent = Sent.now(time);
        try {
            Renewal renewal = backend.renew(batch).await().atMost(Patience.with(backend));
            answered(renewal, sent, false);
        } catch (RuntimeException | Error e) {
            LOG.debugf(e, "Locks could not be confirmed: %s", batch);
            unanswered(batch, e);
            if (e.getCause() instanceof InterruptedException) {
                Thread.currentThread().interrupt(); // the next wait will see it
            }
        }
    }

    /** Confirms it alone, at once. */
    void confirmNow(Lease lease) {
        underWay(lease, time.nanoTime());
        confirm(List.of(lease.grant), () -> {
        });
        added(lease);
    }

    /** Learns whether a grant is still there. */
    interface Checked {

        /** @param sent when the request was sent; {@code null} if the grant is gone, or there was no answer */
        void known(@Nullable Sent sent);
    }

    /** Checks a grant that no hold uses yet. */
    void check(Grant grant, Checked checked) {
        Sent sent = Sent.now(time);
        try {
            backend.renew(List.of(grant)).subscribe().with(renewal -> {
                boolean there = !renewal.renewed().isEmpty();
                if (there) {
                    grant.confirmed(sent.nanos());
                }
                checked.known(there ? sent : null);
            }, failure -> checked.known(null));
        } catch (RuntimeException | Error e) {
            LOG.debugf(e, "Lock '%s' could not be confirmed", PrintableName.of(grant.name()));
            checked.known(null);
        }
    }

    private static long retryDelay(Lease lease) {
        return lease.paceNanos() / 12;
    }

    /** Confirms at once; calls back when an answer has come, or none will. */
    public void confirm(List<Grant> batch, Runnable then) {
        try {
            batch.forEach(grant -> lengths.beforeRenewal(names.leaseOf(grant))); // only now: it may have waited for others
            Sent sent = Sent.now(time);
            backend.renew(batch).subscribe().with(renewal -> {
                answered(renewal, sent, false);
                then.run();
            }, failure -> {
                unanswered(batch, failure);
                then.run();
            });
        } catch (RuntimeException | Error e) {
            unanswered(batch, e);
            then.run();
        }
    }

    /** Applies the outcome of an explicitly requested renewal. */
    public void answered(Renewal renewal, Sent sent) {
        answered(renewal, sent, true);
    }

    /** @param wanted whether the renewal was requested explicitly; else a lease that is no longer renewed gets no extension */
    private void answered(Renewal renewal, Sent sent, boolean wanted) {
        for (Grant grant : renewal.renewed()) {
            confirm(grant, sent, wanted);
        }
        for (Grant grant : renewal.lost()) {
            Lease lease = names.leaseOf(grant);
            if (lease != null) {
                losses.lose(lease, LossReasons.GONE);
            }
        }
        unanswered(renewal.unknown(), null);
    }

    private void confirm(Grant grant, Sent sent, boolean wanted) {
        Lease lease = names.leaseOf(grant);
        if (lease == null) {
            return;
        }
        if (time.nanoTime() >= lease.deadline()) {
            losses.lose(lease, LossReasons.NOT_RENEWED); // somebody may already have seen it invalid
            return;
        }
        long kept = lengths.askedBy(sent, grant);
        lease.keptFor(kept, sent, wanted);
        lengths.answered(lease, sent);
        if (sent.nanos() < confirmsFrom) {
            lease.renewalDueAfter(sent, kept, lease.renewalDue());
        } else {
            lease.confirmedBy(sent, kept);
            lease.markConfirmed();
            if (sent.nanos() < confirmsFrom) { // since the last check: a due time set then may have been overwritten
                if (sent.nanos() < trustsFrom) {
                    lease.distrustClocks();
                }
                for (LockHold hold : lease.holders()) {
                    hold.markSuspect();
                }
                lease.renewalDue(time.nanoTime());
            }
        }
        Lease successor = lease.queue.leaseOf(grant);
        if (successor != null && successor != lease) {
            confirm(grant, sent, wanted); // it was downgraded in the meantime
            return;
        }
        added(lease);
    }

    /** Its holds report the doubt when asked. */
    public void suspect(Lease lease, String reason) {
        if (lease.queue.doubtIfKept(lease)) {
            return;
        }
        for (LockHold hold : lease.holders()) {
            if (hold.markSuspect()) {
                events.emit(Kind.SUSPECT, hold, time.nanoTime() - hold.grantedAt(), reason);
            }
        }
    }

    private void unanswered(List<? extends Grant> grants, @Nullable Throwable failure) {
        for (Grant grant : grants) {
            Lease lease = names.leaseOf(grant);
            if (lease != null && !lease.queue.doubtIfKept(lease)) {
                suspect(lease, failure == null ? "a renewal got no answer" : "a renewal failed: " + failure);
                events.emit(Kind.RETRIED, lease.holder(), 0, "renewal");
                long now = time.nanoTime();
                lease.renewalDue(now + Math.min(retryDelay(lease), Math.max(0, lease.deadline() - now) / 4));
                added(lease);
            }
        }
    }
}
