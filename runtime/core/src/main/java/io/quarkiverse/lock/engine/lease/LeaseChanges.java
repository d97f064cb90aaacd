package io.quarkiverse.lock.engine.lease;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.engine.queue.LeaseLengths;
import io.quarkiverse.lock.engine.queue.Nothing;
import io.quarkiverse.lock.engine.queue.Renewals;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.Lease;
import io.quarkiverse.lock.engine.state.LeaseRules;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.Sent;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.text.PrintableName;
import io.smallrye.mutiny.Uni;

/** Changes how long a name is kept for an existing hold. */
public final class LeaseChanges {

    private final LockBackend backend;
    private final LockTime time;
    private final Renewals renewals;
    private final LeaseLengths lengths;
    private final LeaseRules rules;
    private final Features features;

    public LeaseChanges(LockBackend backend, LockTime time, Renewals renewals, LeaseLengths lengths, LeaseRules rules,
            Features features) {
        this.backend = backend;
        this.time = time;
        this.renewals = renewals;
        this.lengths = lengths;
        this.rules = rules;
        this.features = features;
    }

    /** Renews one hold now, with a new lease from now on. */
    public Uni<Void> extend(LockHold hold, Duration lease) {
        return wanted(hold, Math.max(hold.wantedLeaseNanos(), lease.toNanos()), () -> extend(hold, lease.toNanos()));
    }

    /** Notes first what its users want, or a renewal sent meanwhile might ask for less. */
    private static Uni<Void> wanted(LockHold hold, long nanos, Supplier<Uni<Void>> change) {
        long before = hold.wantedLeaseNanos();
        hold.wantsLease(nanos);
        try {
            return change.get();
        } catch (RuntimeException | Error e) { // such as a lease that is too long for the backend
            hold.wantsLease(before);
            throw e;
        }
    }

    private Uni<Void> extend(LockHold hold, long nanos) {
        Lease current = hold.lease();
        lengths.beforeRenewal(current);
        lengths.raise(current.grant, nanos + rules.afterLossNanos);
        Sent sent = Sent.now(time);
        return answered(hold, backend.renew(List.of(current.grant)), sent, "extended");
    }

    /** Gives one hold a new lease from now on, which may be shorter than its current one. */
    public Uni<Void> changeLease(LockHold hold, Duration lease) {
        return wanted(hold, lease.toNanos(), () -> changeLease(hold, hold.lease(), lease.toNanos()));
    }

    private Uni<Void> changeLease(LockHold hold, Lease current, long wanted) {
        long nanos = Math.max(wanted, leastLease(hold, current));
        if (nanos >= current.leaseNanos()) {
            return extend(hold, nanos);
        }
        Sent sent = Sent.now(time);
        // First, because the answer may be late or never come
        renewals.added(lengths.lower(hold, nanos + rules.afterLossNanos, sent));
        return answered(hold, backend.shorten(current.grant), sent, "shortened");
    }

    /** The name must stay taken even if this JVM dies, and readers that share the grant rely on its lease. */
    private long leastLease(LockHold hold, Lease current) {
        long least = hold.staysTakenFor(time.nanoTime());
        for (LockHold other : current.holders()) {
            if (other != hold) {
                // The backend may grant less than requested
                least = Math.max(least, Math.min(other.wantedLeaseNanos(), current.leaseNanos()));
            }
        }
        return least;
    }

    /**
     * A new {@code holdAtLeast} for all names of a handle, which counts from the grant of the last one.
     *
     * @param atLeast zero if none of the names is to stay taken
     */
    public HoldAtLeastChange holdAtLeast(Held held, Duration atLeast) {
        return new HoldAtLeastChange(held, atLeast.toNanos());
    }

    /** Either the change of all names or, once it is taken back, of none. */
    public final class HoldAtLeastChange {

        private final long lastGrant;
        private final long nanos;
        /** Like {@code takenBack} guarded by this object: another thread may cancel and then release. */
        private final List<Runnable> undo = new ArrayList<>();
        private boolean takenBack;

        private HoldAtLeastChange(Held held, long nanos) {
            long last = held.get(0).grantedAt();
            for (int i = 1; i < held.size(); i++) {
                last = Math.max(last, held.get(i).grantedAt());
            }
            this.lastGrant = last;
            this.nanos = nanos;
        }

        /** Changes one of them. */
        public Uni<Void> of(LockHold hold) {
            features.need(Feature.HOLD_AT_LEAST, hold.settings.manager(), hold.name(), "changeHoldAtLeast()",
                    "a later release()");
            if (!hold.settings.exclusive()) {
                return Uni.createFrom().failure(new IllegalStateException("Lock '" + PrintableName.of(hold.name())
                        + "': only an exclusive holder can keep it after its release, but this one is shared or has a limit: "
                        + "release it later instead"));
            }
            long after = nanos == 0 ? 0 : lastGrant - hold.grantedAt() + nanos;
            // First: the answer must find a hold whose name outlasts its lease, and a renewal sent meanwhile must not ask for less
            if (!change(hold, after)) {
                return Nothing.UNI;
            }
            long until = hold.grantedAt() + after;
            long left = until - time.nanoTime();
            // The lease may be longer than that, but part of it has passed
            return left <= 0 || hold.lease().grant.keptAt(until) ? Nothing.UNI : extend(hold, left);
        }

        /** {@code false} if all is taken back. */
        private synchronized boolean change(LockHold hold, long after) {
            if (takenBack) {
                return false;
            }
            long before = hold.holdAtLeastNanos();
            undo.add(() -> {
                if (hold.holdAtLeastNanos() == after) { // else another change has been made meanwhile
                    hold.holdAtLeastNanos(before);
                }
            });
            hold.holdAtLeastNanos(after);
            return true;
        }

        /** What has been changed is as it was before. From now on, nothing is changed. */
        public synchronized void takeBack() {
            takenBack = true;
            undo.forEach(Runnable::run);
            undo.clear();
        }
    }

    private Uni<Void> answered(LockHold hold, Uni<Renewal> renewed, Sent sent, String what) {
        return renewed.flatMap(renewal -> {
            renewals.answered(renewal, sent);
            if (!renewal.unknown().isEmpty()) {
                return Uni.createFrom().failure(new LockBackendException(hold.name(), "Lock '" + PrintableName.of(hold.name())
                        + "' could not be " + what + ": backend '" + backend.name()
                        + "' did not answer; check its connection settings, and try again", null));
            }
            return hold.live() ? Nothing.UNI : Uni.createFrom().failure(hold.loss());
        });
    }
}
