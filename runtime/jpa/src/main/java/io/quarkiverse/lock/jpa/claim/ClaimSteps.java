package io.quarkiverse.lock.jpa.claim;

import java.sql.SQLException;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.jpa.claim.JpaGrant.Attempts;
import io.quarkiverse.lock.jpa.database.DatabaseClock;
import io.quarkiverse.lock.jpa.database.ErrorMessages;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.database.SqlFailure;
import io.quarkiverse.lock.jpa.database.Step;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.dialect.LockDialect.FencedAt;
import io.quarkiverse.lock.jpa.grace.Marker;
import io.quarkiverse.lock.jpa.notify.NotificationListener;
import io.quarkiverse.lock.jpa.notify.Notifier;
import io.quarkiverse.lock.jpa.table.LockNames;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.jpa.table.NameHolder;
import io.quarkiverse.lock.jpa.table.NameState;
import io.quarkiverse.lock.jpa.table.PlacesInLine;
import io.quarkiverse.lock.jpa.table.QueuePosition;
import io.quarkiverse.lock.jpa.table.Sharer;
import io.quarkiverse.lock.jpa.table.Statements;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockTime;

/**
 * A claim's steps in the database, one after the other, each on a worker; the first perhaps on the caller's thread. That is the
 * uncontended acquire; then comes the contended step, which queues it; then, while it waits, an occasional look at its place,
 * which another claim may take on its behalf; and the contended step again when its turn seems to have come.
 */
public final class ClaimSteps {

    private static final int TRIES = 3;

    private final Steps steps;
    private final Statements statements;
    private final UncontendedAcquire uncontended;
    private final @Nullable QuickSteps quickSteps;
    private final @Nullable NotificationListener listener;
    private final Notifier notifier;
    private final DatabaseClock clock;
    private final LockTime time;
    private final LockNames names;
    private final String owner;
    private final ErrorMessages errors;
    private final Claim claim;
    private final String id;
    private final Attempts attempts;
    /** When a claim that does not wait must have its answer. */
    private final long deadline;

    /** Null until it is queued. */
    private @Nullable ClaimPlace place;
    private long delay;
    private int othersWait = -1;
    /** The last step has found no row either. */
    private boolean noRow;
    /** Another claim's look has seen that the end of the queue is near. */
    private boolean queueEnds;

    private volatile boolean turn;

    public ClaimSteps(Claim claim, String id, Attempts attempts, Steps steps, Statements statements,
            UncontendedAcquire uncontended, @Nullable QuickSteps quickSteps, @Nullable NotificationListener listener,
            Notifier notifier, DatabaseClock clock, LockTime time, LockNames names, String owner, ErrorMessages errors) {
        this.claim = claim;
        this.id = id;
        this.attempts = attempts;
        this.steps = steps;
        this.statements = statements;
        this.uncontended = uncontended;
        this.quickSteps = quickSteps;
        this.listener = listener;
        this.notifier = notifier;
        this.clock = clock;
        this.time = time;
        this.names = names;
        this.owner = owner;
        this.errors = errors;
        this.deadline = steps.deadline();
    }

    /** A notification says that this claim is first in line, and that the name is free. */
    public void turn() {
        turn = true;
    }

    /** After a step without an answer: the delay until the next step, in ns. */
    public long delay() {
        return delay;
    }

    /** How many others waited when it was granted; negative if unknown. */
    public int othersWait() {
        return othersWait;
    }

    public boolean tooLate() {
        return !claim.waits() && left() <= 0;
    }

    /** The time left for a claim that does not wait, in ns. */
    public long left() {
        return deadline - System.nanoTime();
    }

    /** Continues on a worker, with a connection that works. */
    public void goOnElsewhere() {
        delay = 1;
    }

    public void delayAfterFailure() {
        delay = PollingPace.afterFailure();
    }

    /** Null if the claim keeps waiting, for {@link #delay}. */
    @Nullable
    public Answer next() throws SQLException {
        long until = claim.waits() ? steps.deadline() : deadline;
        ClaimPlace queued = place;
        if (queued == null) {
            Answer answer = claim.exclusive() ? steps.call(until, this::tryOnce) : null;
            if (answer != null) {
                return answer;
            }
        } else if (onlyWaits(queued, until)) {
            return null;
        }
        return contend(until);
    }

    /** Whether it goes on waiting, since nothing has changed for it. */
    private boolean onlyWaits(ClaimPlace queued, long until) throws SQLException {
        if (queueEnds) {
            queueEnds = false;
            return !turn && steps.call(until, queued::keepQueue);
        }
        if (turn || queued.needsContention()) {
            return false;
        }
        QueuePosition seen = steps.call(until, queued::look);
        if (seen == null || seen.itsTurn()) {
            return false;
        }
        delay = queued.seen(seen, told());
        return true;
    }

    /** What another claim may look up for it until its next step; null if that step changes more than its place. */
    @Nullable
    Look look(PendingClaim pending) {
        ClaimPlace queued = place;
        return queued == null || turn ? null : queued.nextLook(pending, delay);
    }

    /**
     * Another claim has looked on its behalf.
     *
     * @param seen null if its place is gone
     * @param kept whether its place was kept
     * @return false if it must take a step itself at once
     */
    boolean looked(PlacesInLine.@Nullable Seen seen, boolean kept) {
        ClaimPlace queued = place;
        if (queued != null && kept) {
            queued.kept();
        }
        if (queued == null || seen == null || seen.position().itsTurn()) {
            turn = true;
            return false;
        }
        delay = queued.seen(seen.position(), told());
        queueEnds = queued.queueEnds(seen);
        return !queueEnds;
    }

    /** Null when only a place in the queue helps. */
    private @Nullable Answer tryOnce(LockConnection connection) throws SQLException {
        for (int i = 0; i < TRIES; i++) {
            long sentAt = time.nanoTime();
            FencedAt granted = uncontended.run(connection, id, () -> names.readable(claim.name()), claim.token(),
                    owner, claim.leaseNanos(), attempts);
            if (granted != null) {
                return new JpaGrant(claim, id, errors, attempts, granted.fence(), sentAt);
            }
            if (claim.waits()) {
                return null;
            }
            NameState state = connection.first(statements.state, NameState::read, id);
            if (state == null) {
                uncontended.forget(id);
            } else {
                clock.read(state.now());
                if (state.format() != LockRow.FORMAT) {
                    throw errors.format(claim.name(), state.format());
                }
                if (state.held()) {
                    return NameHolder
                            .busy(state.sharedUntil() > state.now() ? sharer(connection, state.now()) : state.holder());
                }
                if (state.waitedFor()) {
                    return null; // or the others have died, which the contended step sees
                }
            }
        }
        return uncontended.busy(connection);
    }

    private @Nullable NameHolder sharer(LockConnection connection, long now) throws SQLException {
        return Sharer.holder(Sharer.first(connection, statements, id, now, claim.token()), now);
    }

    private @Nullable Answer contend(long until) throws SQLException {
        turn = false;
        if (claim.waits() && claim.exclusive()) {
            listen(); // somebody is in the way; start before anybody can have been notified
        }
        long[] sentAt = new long[1];
        ContendedAcquire.Outcome quick = quickly(until, sentAt);
        if (quick != null) {
            return outcome(quick, sentAt[0]);
        }
        Marker marker = uncontended.marker();
        var contention = new ContendedAcquire(statements, marker, clock, id, claim, owner);
        attempts.sending(until);
        Step<ContendedAcquire.Outcome> step = connection -> {
            sentAt[0] = time.nanoTime();
            return contention.run(connection);
        };
        ContendedAcquire.Outcome outcome = steps.transaction(until, step);
        if (outcome instanceof ContendedAcquire.NoRow && (!claim.exclusive() || marker != null)) {
            uncontended.makeRow(until, id, names.readable(claim.name()));
            outcome = steps.transaction(until, step);
        }
        if (marker != null && marker.outdated()) {
            steps.call(until, marker::begin);
        }
        return outcome(outcome, sentAt[0]);
    }

    /** Null when it takes more than one statement. */
    private ContendedAcquire.@Nullable Outcome quickly(long until, long[] sentAt) throws SQLException {
        QuickSteps quick = quickSteps;
        ClaimPlace queued = place;
        if (quick == null || !claim.waits() || !claim.exclusive() || queued != null && queued.due()) {
            return null;
        }
        return steps.call(until, connection -> {
            sentAt[0] = time.nanoTime();
            long guard = uncontended.guard(connection, attempts);
            try {
                return queued == null ? quick.queue(connection, id, claim, owner, guard, notifier.proven())
                        : quick.take(connection, id, claim, owner, queued.ticket(), guard);
            } catch (SQLException e) {
                if (queued == null && SqlFailure.of(e).denies()) {
                    return null; // perhaps the only failure was the notification
                }
                throw UncontendedAcquire.noted(e, attempts);
            }
        });
    }

    private @Nullable Answer outcome(ContendedAcquire.Outcome outcome, long sentAt) {
        if (outcome instanceof ContendedAcquire.Granted granted) {
            othersWait = granted.waiters();
            if (claim.mode() == LockMode.SHARED) {
                listen(); // readers who let others join have to stop as soon as a writer waits
            }
            if (granted.room() && notifier.enabled()) {
                notifier.later(connection -> notifier.wakeFirst(connection, id));
            }
            return new JpaGrant(claim, id, errors, attempts, granted.fence(), sentAt);
        }
        if (outcome instanceof ContendedAcquire.Taken taken) {
            return taken.answer();
        }
        if (outcome instanceof ContendedAcquire.OtherFormat other) {
            throw errors.format(claim.name(), other.format());
        }
        if (outcome instanceof ContendedAcquire.Queued queued) {
            waitOn(queued);
        } else {
            uncontended.forget(id);
            place = null;
            delay = noRow ? PollingPace.afterFailure() : 1; // a trigger may keep it from being there
            noRow = true;
        }
        return null;
    }

    private void waitOn(ContendedAcquire.Queued outcome) {
        noRow = false;
        ClaimPlace queued = place;
        if (queued == null) {
            queued = new ClaimPlace(claim, id, statements);
            place = queued;
            listen();
        }
        NameHolder.tell(claim, outcome.heldBy(), time.nanoTime());
        delay = queued.contended(outcome, told());
        List<String> holders = outcome.holders();
        if (!holders.isEmpty() && notifier.enabled()) {
            notifier.later(connection -> holders.forEach(holder -> notifier.waited(connection, id, holder)));
        }
    }

    private void listen() {
        if (listener != null) {
            listener.start();
        }
    }

    /** Whether a notification tells when its turn has come. */
    private boolean told() {
        return listener != null && listener.proven();
    }
}
