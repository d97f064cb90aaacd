package io.quarkiverse.lock.jpa.claim;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
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
import io.quarkiverse.lock.jpa.table.QueueSnapshot;
import io.quarkiverse.lock.jpa.table.Sharer;
import io.quarkiverse.lock.jpa.table.Statements;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockTime;

/**
 * A claim's steps in the database, one after the other, each on a worker: first the uncontended acquire; then, while it waits,
 * an occasional look at the name; and the contended step when its turn seems to have come. Near the head of the line, it takes
 * that step soon after the line has moved, which also keeps its place and the queue's end; elsewhere both are kept without it.
 */
public final class ClaimSteps {

    private static final long REFRESH = TimeUnit.MILLISECONDS.toNanos(900);
    /** Twice within the time after which a claim is presumed dead. */
    private static final long KEEP_PLACE = TimeUnit.MICROSECONDS.toNanos(ContendedAcquire.ALIVE_MICROS) * 9 / 20;
    private static final long KEEP_FAR_PLACE = TimeUnit.MICROSECONDS.toNanos(ContendedAcquire.ALIVE_FAR_MICROS) / 2;
    /** When the end of the queue is nearer than this, it is moved on: claims farther back, which do not move it, need it. */
    private static final long QUEUE_ENDS_MICROS = QueueSnapshot.QUEUE_MICROS - ContendedAcquire.ALIVE_MICROS;
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
    private final PollingPace pace = new PollingPace();

    private boolean queued;
    private long ticket;
    private int ahead;
    /** How many claims were ahead in the last contended step. */
    private int contendedBehind;
    /** The first in line, as of the last look from far back. */
    private @Nullable String head;
    private long refreshAt;
    private long delay;
    private int othersWait = -1;
    /** Another claim's look has seen that the end of the queue is near. */
    private boolean queueEnds;

    private volatile boolean turn;

    ClaimSteps(Claim claim, String id, Attempts attempts, Steps steps, Statements statements, UncontendedAcquire uncontended,
            @Nullable QuickSteps quickSteps, @Nullable NotificationListener listener, Notifier notifier, DatabaseClock clock,
            LockTime time, LockNames names, String owner, ErrorMessages errors) {
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

    /** Continue on a worker, with a connection that works. */
    public void goOnElsewhere() {
        delay = 1;
    }

    public void delayAfterFailure() {
        delay = pace.afterFailure();
    }

    /** Null if the claim keeps waiting, for {@link #delay}. */
    @Nullable
    public Answer next() throws SQLException {
        long until = claim.waits() ? steps.deadline() : deadline;
        if (queueEnds) {
            queueEnds = false;
            if (!turn && keepQueue(until)) {
                return null;
            }
            turn = true;
        }
        if (!queued && claim.exclusive()) {
            Answer answer = steps.call(until, this::tryOnce);
            if (answer != null) {
                return answer;
            }
        } else if (queued && !turn && !(moved() && due())) {
            QueuePosition seen = steps.call(until, this::lookFromPlace);
            if (seen != null && !(seen.free() && seen.atTheHead())) {
                seen(seen);
                return null;
            }
        }
        return contend(until);
    }

    /** Whether it has come closer to the head, or is at it, since the last contended step. */
    private boolean moved() {
        return PollingPace.near(ahead) && ahead != contendedBehind;
    }

    private boolean due() {
        return refreshAt - System.nanoTime() <= 0;
    }

    /** What another claim may look up for it until its next step; null if that step changes more than its place. */
    @Nullable
    Look look(PendingClaim pending) {
        if (!queued || turn) {
            return null;
        }
        boolean contends = moved();
        return new Look(pending, new PlacesInLine.Wanted(id, claim), System.nanoTime() + delay / 2,
                contends ? refreshAt : refreshAt - KEEP_PLACE / 2, refreshAt, contends);
    }

    /**
     * Another claim has looked on its behalf.
     *
     * @param seen null if its place is gone
     * @param kept whether its place was kept
     * @return false if it must take a step itself at once
     */
    boolean looked(PlacesInLine.@Nullable Seen seen, boolean kept) {
        if (kept) {
            refreshAt = System.nanoTime() + KEEP_PLACE;
        }
        if (seen == null || seen.position().free() && seen.position().atTheHead()) {
            turn = true;
            return false;
        }
        seen(seen.position());
        queueEnds = PollingPace.near(ahead) && seen.queueUntil() - seen.position().now() < QUEUE_ENDS_MICROS;
        return !queueEnds;
    }

    /** Valid for longer than a place, because it takes a statement for each name. False when the name's row is gone. */
    private boolean keepQueue(long until) throws SQLException {
        return steps.call(until, this::moveQueueOn) == 1;
    }

    private int moveQueueOn(LockConnection connection) throws SQLException {
        return connection.update(statements.keepQueue, QueueSnapshot.QUEUE_MICROS, QueueSnapshot.QUEUE_MICROS, id);
    }

    private void seen(QueuePosition seen) {
        long at = System.nanoTime();
        if (!PollingPace.near(seen.ahead())) {
            contendedBehind = -1; // what it knew until now was a guess, or is long outdated
        } else if (!PollingPace.near(ahead)) {
            refreshAt = at; // nobody ahead of it may be there to keep the end of the queue
        } else if (seen.ahead() < ahead && refreshAt - at > REFRESH) {
            refreshAt = at + REFRESH;
        }
        if (seen.ahead() < ahead) {
            claim.heldBy(null); // one of those ahead of it may be the holder by now
        } else {
            claim.stillTaken();
        }
        ahead = seen.ahead();
        head = seen.first();
        waitOn(seen.now(), seen.until());
    }

    /** Null when its place or the name's row is gone. */
    private @Nullable QueuePosition lookFromPlace(LockConnection connection) throws SQLException {
        if (!due()) {
            return look(connection);
        }
        boolean near = PollingPace.near(ahead);
        boolean far = PollingPace.far(ahead) && pace.still();
        long alive = far ? ContendedAcquire.ALIVE_FAR_MICROS : ContendedAcquire.ALIVE_MICROS;
        String first = head;
        boolean same = !near && first != null && pace.still()
                && connection.update(statements.keepPlaceBehind, alive, id, claim.token(), id, first) == 1;
        if (!same) {
            // The end of the queue comes first: it may be too late, but not too early
            if (near && moveQueueOn(connection) == 0
                    || connection.update(statements.keepPlace, alive, id, claim.token()) == 0) {
                return null;
            }
        }
        refreshAt = System.nanoTime() + (far ? PollingPace.settled(KEEP_FAR_PLACE) : KEEP_PLACE);
        return same ? QueuePosition.same(ahead, first) : look(connection);
    }

    private @Nullable QueuePosition look(LockConnection connection) throws SQLException {
        if (claim.exclusive()) {
            return PollingPace.near(ahead) ? connection.first(statements.turn, QueuePosition::read, ticket, id)
                    : connection.first(statements.turnBehind, QueuePosition::readBehind, ticket, id);
        }
        QueueSnapshot line = QueueSnapshot.read(connection, statements, id, claim.token());
        return line == null ? null : line.turn(claim);
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
        if (quick == null || !claim.waits() || !claim.exclusive() || queued && refreshAt - System.nanoTime() <= 0) {
            return null;
        }
        return steps.call(until, connection -> {
            sentAt[0] = time.nanoTime();
            long guard = uncontended.guard(connection, attempts);
            try {
                return queued ? quick.take(connection, id, claim, owner, ticket, guard)
                        : quick.queue(connection, id, claim, owner, guard);
            } catch (SQLException e) {
                if (!queued && SqlFailure.of(e) == SqlFailure.REFUSED) {
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
        if (outcome instanceof ContendedAcquire.Queued place) {
            queuedAt(place);
        } else {
            uncontended.forget(id);
            queued = false;
            delay = 1;
        }
        return null;
    }

    private void queuedAt(ContendedAcquire.Queued place) {
        if (!queued) {
            queued = true;
            listen();
        }
        ticket = place.ticket();
        ahead = place.ahead();
        contendedBehind = ahead;
        head = null;
        refreshAt = System.nanoTime() + KEEP_PLACE;
        NameHolder.tell(claim, place.heldBy(), time.nanoTime());
        waitOn(place.now(), place.until());
        List<String> holders = place.holders();
        if (!holders.isEmpty() && notifier.enabled()) {
            notifier.later(connection -> holders.forEach(holder -> notifier.waited(connection, id, holder)));
        }
    }

    private void listen() {
        if (listener != null) {
            listener.start();
        }
    }

    private void waitOn(long now, long until) {
        long at = System.nanoTime();
        long refresh = Math.max(1, refreshAt - at);
        delay = Math.min(refresh, listener != null && listener.proven() ? pace.untilTold(ahead, at, until - now)
                : pace.untilLook(ahead, at));
    }
}
