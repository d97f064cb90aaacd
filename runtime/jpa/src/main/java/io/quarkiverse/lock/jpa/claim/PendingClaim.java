package io.quarkiverse.lock.jpa.claim;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockException;
import io.quarkiverse.lock.jpa.JpaLockBackend;
import io.quarkiverse.lock.jpa.database.SqlFailure;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.CallerWaits;
import io.quarkiverse.lock.spi.Claim;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/** A claim until it is answered: takes its steps, tells its subscriber, and undoes what nobody wants any more. */
public final class PendingClaim implements UniSubscription, Runnable {

    private final JpaLockBackend backend;
    private final Claim claim;
    private final String id;
    private final UniSubscriber<? super Answer> subscriber;
    private final Attempts attempts = new Attempts();
    private final ClaimProgress progress;
    private final ClaimSteps steps;
    private volatile boolean waitedFor;
    private volatile long endedFence = LockRow.NEVER_HELD;

    public PendingClaim(JpaLockBackend backend, Claim claim, UniSubscriber<? super Answer> subscriber) {
        this.backend = backend;
        this.claim = claim;
        this.id = backend.id(claim.name());
        this.subscriber = subscriber;
        this.progress = new ClaimProgress(backend.time());
        this.steps = new ClaimSteps(backend, claim, id, attempts);
    }

    public String token() {
        return claim.token();
    }

    public void start() {
        backend.known().pending(this);
        if (CallerWaits.in(subscriber.context()) && here()) {
            return;
        }
        if (!claim.waits()) {
            progress.endAfter(Math.max(0, steps.left()), this::outOfPatience);
        }
        backend.undoings().after(id, this::ask);
    }

    /** The first step on the caller's thread, which waits for it at least as long as it may take; false if that cannot be. */
    private boolean here() {
        if (backend.undoings().ongoing(id) || !progress.begin()) {
            return false;
        }
        if (!backend.database().callerTurns().run(this) && !backend.database().workers().run(this)) {
            end(null, backend.explain().closed(claim.name()));
        }
        if (!claim.waits()) {
            progress.endAfter(Math.max(0, steps.left()), this::outOfPatience);
        }
        return true;
    }

    /** It is told that it is the first, and that the name is free. */
    public void turn() {
        steps.turn();
        ask();
    }

    /** Somebody waits for what this claim was granted; the answer with the grant is still on its way. */
    void waitedFor() {
        waitedFor = true;
    }

    /** As {@link #waitedFor}: the grant under this fence was ended by force. */
    void ended(long fence) {
        endedFence = fence;
    }

    /** Takes its next step now, or after the one that runs. */
    public void ask() {
        if (progress.begin() && !backend.database().workers().run(this)) {
            end(null, backend.explain().closed(claim.name()));
        }
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
        } catch (SQLException | RuntimeException e) {
            failure = failed(e);
        }
        end(answer, failure);
    }

    /** What to tell the caller, or null to try again. */
    private @Nullable Throwable failed(Throwable failure) {
        if (failure instanceof LockException) {
            return failure;
        }
        Throwable trouble = backend.explain().failure(claim.name(), failure);
        SqlFailure kind = SqlFailure.of(failure);
        if (kind == SqlFailure.REFUSED || kind == SqlFailure.DUPLICATE || steps.tooLate()) {
            return trouble;
        }
        if (kind == SqlFailure.CONNECTION && backend.database().callerTurns().here()) {
            steps.goOnElsewhere();
            return null;
        }
        // Under the same token, so that a grant whose reply was lost is found again
        claim.trouble(trouble);
        steps.delayAfterFailure();
        return null;
    }

    private void end(@Nullable Answer answer, @Nullable Throwable failure) {
        switch (progress.ended(answer != null || failure != null, steps.delay(), this::ask)) {
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
            }
        }
    }

    private void settle(Answer answer) {
        if (answer instanceof JpaGrant grant) {
            handOut(grant);
        } else {
            backend.known().settled(this);
            subscriber.onItem(answer);
        }
    }

    private void handOut(JpaGrant grant) {
        // First among the grants, so that a message finds one of both
        backend.known().granted(grant);
        backend.known().settled(this);
        if (steps.othersWait() > 0 || waitedFor) {
            grant.awaited = true;
        }
        if (endedFence == grant.fence()) {
            grant.ended = true;
        }
        subscriber.onItem(grant);
        // That nobody waited when it was granted is older than any message, which can only follow the grant
        if (grant.awaited) {
            backend.known().waited(grant);
        }
        if (grant.ended) {
            backend.known().ended(grant);
        }
    }

    private void outOfPatience() {
        if (progress.end()) {
            fail(backend.explain().timeout(claim.name()));
        }
    }

    private void fail(Throwable failure) {
        beginUndo();
        subscriber.onFailure(failure);
        undoUnlessRunning();
    }

    /**
     * Nobody wants the answer, or will take it: a subscriber that has taken it does not cancel any more. So this undoes a grant
     * that was handed out at the same moment.
     */
    @Override
    public void cancel() {
        progress.end();
        beginUndo();
        undoUnlessRunning();
    }

    /** From now on this JVM waits with what else it wants of the name. */
    private void beginUndo() {
        if (progress.beginUndo()) {
            backend.undoings().begin(id);
            backend.known().settled(this);
            backend.known().forget(claim.token());
        }
    }

    /** Once. A step that runs comes first, and undoes at its end. */
    private void undoUnlessRunning() {
        if (progress.undo()) {
            if (attempts.any()) {
                new Withdrawal(backend, id, claim, attempts).start();
            } else {
                backend.undoings().passed(id);
                backend.undoings().end();
            }
        }
    }
}
