package io.quarkiverse.lock.jpa.claim;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockException;
import io.quarkiverse.lock.jpa.claim.JpaGrant.Attempts;
import io.quarkiverse.lock.jpa.database.CallerTurns;
import io.quarkiverse.lock.jpa.database.ErrorMessages;
import io.quarkiverse.lock.jpa.database.SqlFailure;
import io.quarkiverse.lock.jpa.database.Workers;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.jpa.table.PlacesInLine;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.CallerWaits;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.support.ClaimProgress;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/** A claim until it is answered: takes its steps, answers its subscriber, and undoes what is no longer wanted. */
public final class PendingClaim implements UniSubscription, Runnable {

    private final Claim claim;
    private final String id;
    private final UniSubscriber<? super Answer> subscriber;
    private final Attempts attempts;
    private final ClaimSteps steps;
    private volatile boolean waitedFor;
    /** Null while a step runs, and before and after all of them. */
    private volatile @Nullable Look look;
    private volatile long endedFence = LockRow.NEVER_HELD;
    private final ClaimProgress progress;
    private final ClaimRegistry registry;
    private final PendingWithdrawals withdrawals;
    private final JoinedLooks looks;
    private final Workers workers;
    private final CallerTurns callerTurns;
    private final ErrorMessages errors;

    public PendingClaim(Claim claim, String id, UniSubscriber<? super Answer> subscriber, Attempts attempts, ClaimSteps steps,
            ClaimProgress progress, ClaimRegistry registry, PendingWithdrawals withdrawals, JoinedLooks looks,
            Workers workers, CallerTurns callerTurns, ErrorMessages errors) {
        this.claim = claim;
        this.id = id;
        this.subscriber = subscriber;
        this.attempts = attempts;
        this.steps = steps;
        this.progress = progress;
        this.registry = registry;
        this.withdrawals = withdrawals;
        this.looks = looks;
        this.workers = workers;
        this.callerTurns = callerTurns;
        this.errors = errors;
    }

    public String token() {
        return claim.token();
    }

    public void start() {
        registry.pending(this);
        if (CallerWaits.in(subscriber.context()) && here()) {
            return;
        }
        if (!claim.waits()) {
            progress.endAfter(Math.max(0, steps.left()), this::outOfPatience);
        }
        withdrawals.after(id, this::ask);
    }

    /**
     * Takes the first step on the caller's thread, which waits at least as long as the step may take; false if that is
     * impossible.
     */
    private boolean here() {
        if (withdrawals.ongoing(id) || !begin()) {
            return false;
        }
        if (!callerTurns.run(this)) {
            onWorker();
        }
        if (!claim.waits()) {
            progress.endAfter(Math.max(0, steps.left()), this::outOfPatience);
        }
        return true;
    }

    /** A notification says that this claim is first in line, and that the name is free. */
    public void turn() {
        steps.turn();
        ask();
    }

    /** Somebody waits for what this claim was granted; the answer with the grant is still under way. */
    void waitedFor() {
        waitedFor = true;
    }

    /** As {@link #waitedFor}: the grant under this fence was ended by force. */
    void ended(long fence) {
        endedFence = fence;
    }

    /** Takes its next step now, or after the running one. */
    public void ask() {
        if (begin()) {
            onWorker();
        }
    }

    private boolean begin() {
        noLook();
        return progress.begin();
    }

    private void noLook() {
        Look before = look;
        look = null;
        if (before != null) {
            looks.remove(before);
        }
    }

    /** Its next step is due. */
    private void due() {
        Look now = look;
        if (now == null || !looks.due(now)) {
            ask();
        }
    }

    /** No other claim looks for it. Does nothing if it has moved on. */
    void askInstead(Look instead) {
        if (look == instead) {
            ask();
        }
    }

    /** The same, on this thread, which is a worker. */
    void stepInstead(Look instead) {
        if (look == instead && begin()) {
            run();
        }
    }

    /**
     * Another claim has looked on its behalf, which counts as its step. Does nothing if it has moved on.
     *
     * @param seen null if its place is gone
     * @param kept whether its place was kept
     */
    void looked(Look joined, PlacesInLine.@Nullable Seen seen, boolean kept) {
        if (look != joined || !begin()) {
            return;
        }
        claim.trouble(null);
        if (steps.looked(seen, kept)) {
            end(null, null);
        } else {
            onWorker();
        }
    }

    /** A step that cannot even start is over; otherwise nothing could ever follow it. */
    private void onWorker() {
        Throwable failure;
        try {
            if (workers.run(this)) {
                return;
            }
            failure = errors.closed(claim.name());
        } catch (RuntimeException | Error e) { // there may be no thread available
            failure = errors.failure(claim.name(), e);
        }
        end(null, failure);
    }

    @Override
    public void run() {
        Answer answer = null;
        Throwable failure = null;
        try {
            if (!progress.over()) {
                answer = steps.next();
                claim.trouble(null);
            }
        } catch (SQLException | RuntimeException | Error e) { // a class or memory may be missing
            failure = failed(e);
        }
        end(answer, failure);
    }

    /** What to tell the caller, or null to retry. */
    private @Nullable Throwable failed(Throwable failure) {
        if (failure instanceof LockException) {
            return failure;
        }
        Throwable trouble = errors.failure(claim.name(), failure);
        SqlFailure kind = SqlFailure.of(failure);
        if (kind == SqlFailure.REFUSED || kind == SqlFailure.DUPLICATE || steps.tooLate()) {
            return trouble;
        }
        if (kind == SqlFailure.CONNECTION && callerTurns.here()) {
            steps.goOnElsewhere();
            return null;
        }
        // Under the same token, so that a grant whose reply was lost is found again
        claim.trouble(trouble);
        steps.delayAfterFailure();
        return null;
    }

    private void end(@Nullable Answer answer, @Nullable Throwable failure) {
        boolean last = answer != null || failure != null;
        Look next = last ? null : steps.look(this);
        look = next;
        switch (progress.ended(last, steps.delay(), this::due)) {
            case AT_ONCE -> ask();
            case UNDO -> undoUnlessRunning();
            case ANSWER -> {
                if (answer != null) {
                    settle(answer);
                } else if (failure != null) {
                    fail(failure);
                }
            }
            case LATER -> {
                if (next != null) {
                    looks.add(next);
                    if (look != next || progress.over()) {
                        looks.remove(next); // it has moved on meanwhile
                    }
                }
            }
        }
    }

    private void settle(Answer answer) {
        if (answer instanceof JpaGrant grant) {
            handOut(grant);
        } else {
            registry.settled(this);
            subscriber.onItem(answer);
        }
    }

    private void handOut(JpaGrant grant) {
        // Register the grant first, so that a message finds the claim or the grant
        registry.granted(grant);
        registry.settled(this);
        if (steps.othersWait() > 0 || waitedFor) {
            grant.awaited = true;
        }
        if (endedFence == grant.fence()) {
            grant.ended = true;
        }
        subscriber.onItem(grant);
        // That nobody waited when it was granted is older news than any message: messages can only follow the grant
        if (grant.awaited) {
            registry.waited(grant);
        }
        if (grant.ended) {
            registry.ended(grant);
        }
    }

    private void outOfPatience() {
        if (progress.end()) {
            fail(errors.timeout(claim.name()));
        }
    }

    private void fail(Throwable failure) {
        beginUndo();
        try {
            subscriber.onFailure(failure);
        } finally {
            undoUnlessRunning();
        }
    }

    /**
     * Nobody wants the answer any more, nor has anybody taken it: a subscriber that has done so no longer cancels. So a grant
     * that was handed out at the same moment is undone too.
     */
    @Override
    public void cancel() {
        progress.end();
        beginUndo();
        undoUnlessRunning();
    }

    /** From now on, this JVM's next requests for the name have to wait. */
    private void beginUndo() {
        // Before the progress is updated: from then on, the thread whose step ends may finish the undo at any moment
        withdrawals.begin(id);
        if (progress.beginUndo()) {
            noLook();
            registry.settled(this);
            registry.forget(claim.token());
        } else {
            nothingToUndo();
        }
    }

    /** Runs once. If a step is running, that step undoes at its end. */
    private void undoUnlessRunning() {
        if (progress.undo()) {
            if (attempts.any()) {
                withdrawals.withdraw(id, claim, attempts);
            } else {
                nothingToUndo();
            }
        }
    }

    private void nothingToUndo() {
        withdrawals.passed(id);
        withdrawals.end();
    }
}
