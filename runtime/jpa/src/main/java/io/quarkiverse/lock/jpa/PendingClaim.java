package io.quarkiverse.lock.jpa;

import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.LockDialect.FencedAt;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockTime;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * A claim until it is answered. One step at a time runs on a worker thread: first the uncontended acquire, then, while it
 * waits, a look at the name now and then, and the contended step when it seems to be its turn and at least every second.
 */
final class PendingClaim implements UniSubscription, Runnable {

    private static final long REFRESH = TimeUnit.SECONDS.toNanos(1);
    private static final long FIRST_LOOK = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LAST_LOOK = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int TRIES = 3;

    private final JpaLockBackend backend;
    private final LockDatabase database;
    private final Claim claim;
    private final String id;
    private final String token;
    private final UniSubscriber<? super Answer> subscriber;
    private final Attempts attempts = new Attempts();
    /** By when a claim that does not wait has its answer. */
    private final long deadline;

    /** Guarded by this, to the end of the block. */
    private boolean running;
    private boolean askAgain;
    private boolean over;
    private boolean undoBegun;
    private boolean undoing;
    private LockTime.@Nullable Timer next;
    private LockTime.@Nullable Timer patience;

    /** Of the step that runs, to the end of the block. */
    private boolean queued;
    private long ticket;
    private long refreshAt;
    private long look = FIRST_LOOK;
    private long delay;
    private int othersWait = -1;

    private volatile boolean turn;

    PendingClaim(JpaLockBackend backend, Claim claim, UniSubscriber<? super Answer> subscriber) {
        this.backend = backend;
        this.database = backend.database();
        this.claim = claim;
        this.id = backend.id(claim.name());
        this.token = claim.token();
        this.subscriber = subscriber;
        this.deadline = database.deadline();
    }

    String token() {
        return token;
    }

    void start() {
        backend.known().pending(this);
        if (!claim.waits()) {
            synchronized (this) {
                if (!over) {
                    patience = backend.time().schedule(database.options().operationTimeout().toNanos(), this::outOfPatience);
                }
            }
        }
        backend.undoings().after(id, this::ask);
    }

    /** It is told that it is the first, and that the name is free. */
    void turn() {
        turn = true;
        ask();
    }

    /** Takes its next step now, or after the one that runs. */
    void ask() {
        synchronized (this) {
            if (over) {
                return;
            }
            cancelNext();
            if (running) {
                askAgain = true;
                return;
            }
            running = true;
            askAgain = false;
        }
        if (!database.workers().run(this)) {
            end(null, backend.explain().closed(claim.name()));
        }
    }

    @Override
    public void run() {
        Answer answer = null;
        Throwable failure = null;
        try {
            if (wanted()) {
                answer = step();
                claim.trouble(null);
            }
        } catch (SQLException | RuntimeException e) {
            failure = failed(e);
        }
        end(answer, failure);
    }

    private synchronized boolean wanted() {
        return !over;
    }

    /** Null if the claim goes on waiting, for {@link #delay}. */
    private @Nullable Answer step() throws SQLException {
        long until = claim.waits() ? database.deadline() : deadline;
        if (!queued) {
            Answer answer = database.call(until, this::tryOnce);
            if (answer != null) {
                return answer;
            }
        } else if (!turn && refreshAt - System.nanoTime() > 0) {
            Turn seen = database.call(until, connection -> connection.first(database.statements().turn, Turn::read, id));
            if (seen != null && !(seen.free() && seen.mine(ticket))) {
                waitOn(seen.now(), seen.until());
                return null;
            }
        }
        return contend(until);
    }

    /** Null when only a place in the queue will help. */
    private @Nullable Answer tryOnce(LockConnection connection) throws SQLException {
        for (int i = 0; i < TRIES; i++) {
            long sentAt = backend.time().nanoTime();
            FencedAt granted = backend.firstTry().run(connection, id, backend.readable(claim.name()), token, backend.owner(),
                    claim.leaseNanos(), attempts);
            if (granted != null) {
                return new JpaGrant(claim, id, attempts, granted.fence(), sentAt);
            }
            if (claim.waits()) {
                return null;
            }
            LockState state = connection.first(database.statements().state, LockState::read, id);
            if (state == null) {
                backend.firstTry().forget(id);
            } else {
                database.clock().read(state.now());
                if (state.format() != LockRow.FORMAT) {
                    throw backend.explain().format(claim.name(), state.format());
                }
                if (state.held() || state.waitedFor()) {
                    return new Busy(state.holder());
                }
            }
        }
        return new Busy(null);
    }

    private @Nullable Answer contend(long until) throws SQLException {
        var contention = new Contention(database, id, claim, backend.owner());
        turn = false;
        long[] sentAt = new long[1];
        attempts.sending(until);
        Contention.Outcome outcome = database.transaction(until, connection -> {
            sentAt[0] = backend.time().nanoTime();
            return contention.run(connection);
        });
        if (outcome instanceof Contention.Granted granted) {
            othersWait = granted.waiters();
            return new JpaGrant(claim, id, attempts, granted.fence(), sentAt[0]);
        }
        if (outcome instanceof Contention.Taken taken) {
            return new Busy(taken.heldBy());
        }
        if (outcome instanceof Contention.OtherFormat other) {
            throw backend.explain().format(claim.name(), other.format());
        }
        if (outcome instanceof Contention.Queued place) {
            queuedAt(place);
        } else {
            backend.firstTry().forget(id);
            queued = false;
            delay = 1;
        }
        return null;
    }

    private void queuedAt(Contention.Queued place) {
        if (!queued) {
            queued = true;
            database.contended();
        }
        ticket = place.ticket();
        refreshAt = System.nanoTime() + REFRESH - REFRESH / 10;
        claim.heldBy(place.heldBy());
        waitOn(place.now(), place.until());
        String holder = place.holder();
        if (holder != null && database.tells()) {
            tell(holder);
        }
    }

    private void tell(String holder) {
        database.workers().run(() -> {
            try {
                database.<Boolean> call(database.deadline(), connection -> {
                    Telling.waited(database, connection, id, holder);
                    return true;
                });
            } catch (SQLException | RuntimeException e) {
                // Then the holder finds out when its slice ends
            }
        });
    }

    private void waitOn(long now, long until) {
        long refresh = Math.max(1, refreshAt - System.nanoTime());
        if (database.wakes()) {
            // The message comes when the holder gives it back; not when its lease ends
            long expiry = TimeUnit.MICROSECONDS.toNanos(Math.min(until - now, 2_000_000));
            delay = Math.min(refresh, expiry > 0 ? expiry + random(LAST_LOOK) : LAST_LOOK + random(LAST_LOOK));
        } else {
            delay = Math.min(refresh, look / 2 + random(look / 2 + 1));
            look = Math.min(LAST_LOOK, look + look / 2);
        }
    }

    /** What to tell the caller, or null to try again. */
    private @Nullable Throwable failed(Throwable failure) {
        if (failure instanceof io.quarkiverse.lock.LockException) {
            return failure;
        }
        Throwable trouble = backend.explain().failure(claim.name(), failure);
        SqlFailure kind = SqlFailure.of(failure);
        if (kind == SqlFailure.REFUSED || kind == SqlFailure.DUPLICATE || !claim.waits() && deadline - System.nanoTime() <= 0) {
            return trouble;
        }
        // Under the same token, so that a grant whose reply was lost is found again
        claim.trouble(trouble);
        delay = TimeUnit.MILLISECONDS.toNanos(20) + random(TimeUnit.MILLISECONDS.toNanos(180));
        return null;
    }

    private void end(@Nullable Answer answer, @Nullable Throwable failure) {
        boolean again = false;
        boolean tooLate;
        synchronized (this) {
            running = false;
            tooLate = over;
            if (over) {
                again = false;
            } else if (answer != null || failure != null) {
                over = true;
                cancelTimers();
            } else if (askAgain) {
                again = true;
            } else {
                next = backend.time().schedule(delay, this::ask);
            }
        }
        if (again) {
            ask();
        } else if (tooLate) {
            undoUnlessRunning();
        } else if (answer != null) {
            settle(answer);
        } else if (failure != null) {
            beginUndo();
            subscriber.onFailure(failure);
            undoUnlessRunning();
        }
    }

    private void settle(Answer answer) {
        backend.known().settled(this);
        if (answer instanceof JpaGrant grant) {
            backend.known().granted(grant);
            subscriber.onItem(answer);
            if (othersWait >= 0) {
                backend.listener().waiters(grant, othersWait > 0);
            }
        } else {
            subscriber.onItem(answer);
        }
    }

    private void outOfPatience() {
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
            cancelTimers();
        }
        beginUndo();
        subscriber.onFailure(backend.explain().timeout(claim.name()));
        undoUnlessRunning();
    }

    /**
     * Nobody wants the answer, or will take it: a subscriber that has taken it does not cancel any more. So this undoes a grant
     * that was handed out at the same moment.
     */
    @Override
    public void cancel() {
        synchronized (this) {
            over = true;
            cancelTimers();
        }
        beginUndo();
        undoUnlessRunning();
    }

    /** From now on this JVM waits with what else it wants of the name. */
    private void beginUndo() {
        synchronized (this) {
            if (undoBegun) {
                return;
            }
            undoBegun = true;
        }
        backend.undoings().begin(id);
        backend.known().settled(this);
        backend.known().forget(token);
    }

    /** Once. A step that runs comes first, and undoes at its end. */
    private void undoUnlessRunning() {
        synchronized (this) {
            if (running || !undoBegun || undoing) {
                return;
            }
            undoing = true;
        }
        undo();
    }

    private void undo() {
        if (attempts.any()) {
            backend.withdraw(id, claim, attempts);
        } else {
            backend.undoings().end(id);
        }
    }

    private void cancelTimers() {
        cancelNext();
        if (patience != null) {
            patience.cancel();
            patience = null;
        }
    }

    private void cancelNext() {
        if (next != null) {
            next.cancel();
            next = null;
        }
    }

    private static long random(long below) {
        return ThreadLocalRandom.current().nextLong(below);
    }
}
