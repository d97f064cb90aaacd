package io.quarkiverse.lock.engine.queue;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.news.ErrorMessages;
import io.quarkiverse.lock.engine.news.Events;
import io.quarkiverse.lock.engine.state.ClaimAttempt;
import io.quarkiverse.lock.engine.state.Lease;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.engine.state.Refusal;
import io.quarkiverse.lock.engine.state.TryHold;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockTime;

/** How holds come to their name's queue, and leave it without the lock. */
public final class Admission {

    private final LockBackend backend;
    private final LockTime time;
    private final Claims claims;
    private final Events events;
    private final ErrorMessages errors;
    private final NextClaims nextClaims;
    private final Leases leases;
    private final ClaimAnswers answers;

    public Admission(LockBackend backend, LockTime time, Claims claims, Events events, ErrorMessages errors,
            NextClaims nextClaims,
            Leases leases, ClaimAnswers answers) {
        this.backend = backend;
        this.time = time;
        this.claims = claims;
        this.events = events;
        this.errors = errors;
        this.nextClaims = nextClaims;
        this.leases = leases;
        this.answers = answers;
    }

    /**
     * Asks for the lock on behalf of {@code hold}, which hears of the outcome through its waiter, or has it when this returns.
     *
     * @return {@code false} if its queue has left the table: ask its successor
     */
    public boolean enter(LockHold hold) {
        NameQueue queue = hold.queue;
        ClaimAttempt toStart = null;
        Lease crowded = null;
        queue.lock();
        try {
            if (queue.retired()) {
                return false;
            }
            if (hold instanceof TryHold lone) {
                toStart = enterAlone(queue, lone);
            } else if (!leases.joined(hold)) {
                boolean free = queue.lease() == null && queue.attempt == null && queue.waiting.isEmpty();
                if (!free && hold.settings.waitNanos() == 0) {
                    hold.refuse(errors.noWait(queue.firstOr(hold), queue.lease(), queue.attempt));
                    return true;
                }
                if (!free && mustStandInLine(queue, hold) || !leases.takenNow(hold)) {
                    crowded = queue.waiting.isEmpty() && queue.heldAlone() ? queue.lease() : null;
                    queue.waiting.append(hold);
                    toStart = nextClaims.forFirst(queue);
                }
            }
        } finally {
            queue.unlock();
        }
        if (hold.refused()) {
            return true;
        }
        if (hold.live()) {
            events.emit(Kind.GRANTED, hold, 0, null);
        }
        if (toStart != null) {
            toStart.start(backend);
        } else if (crowded != null) {
            backend.contended(crowded.grant);
        }
        return true;
    }

    /** For one that there may be room for beside what is held here. */
    private static boolean mustStandInLine(NameQueue queue, LockHold hold) {
        return !queue.waiting.isEmpty() || queue.lease() == null
                || !hold.settings.goesWith(queue.lease().holder().settings);
    }

    private @Nullable ClaimAttempt enterAlone(NameQueue queue, TryHold hold) {
        if (leases.joined(hold)) {
            return null;
        }
        if (queue.heldAlone() || queue.anyInTheWayOf(hold)) {
            hold.refuse(errors.noWait(queue.firstOr(hold), queue.lease(), queue.attempt));
            return null;
        }
        if (queue.waiting.isEmpty() && leases.takenNow(hold)) {
            return null;
        }
        hold.attempt = new TryAttempt(hold, claims.make(queue.name, hold.settings), time,
                hold.waitsHereFor(backend.operationTimeout()), answers);
        queue.alone++;
        return hold.attempt;
    }

    /**
     * Whether a hold whose wait is over had better wait a little longer: no wait is too short for one answer of the
     * store, which may have been on its way for a quarter of the operation timeout.
     */
    public boolean answerDue(LockHold hold) {
        NameQueue queue = hold.queue;
        queue.lock();
        try {
            return hold.waiting() && hold.settings.waitNanos() != 0
                    && errors.answerDue(queue.waiting.first(), queue.lease(), queue.attempt);
        } finally {
            queue.unlock();
        }
    }

    /**
     * The hold stops waiting.
     *
     * @param why what it fails with; {@code null} to find out what kept it
     * @return {@code false} if it had its outcome already
     */
    public boolean giveUp(LockHold hold, @Nullable Refusal why) {
        NameQueue queue = hold.queue;
        ClaimAttempt toWithdraw = null;
        ClaimAttempt toStart = null;
        queue.lock();
        try {
            if (!hold.waiting()) {
                return false;
            }
            if (hold instanceof TryHold lone) {
                toWithdraw = lone.attempt;
                hold.refuse(why != null ? why : errors.waitOver(lone, queue.lease(), toWithdraw));
                queue.alone--;
            } else {
                boolean wasFirst = queue.waiting.first() == hold;
                hold.refuse(why != null ? why : errors.waitOver(queue.waiting.first(), queue.lease(), queue.attempt));
                queue.waiting.remove(hold);
                if (wasFirst && queue.attempt != null
                        && (queue.waiting.isEmpty() || !queue.attempt.suits(queue.waiting.first()))) {
                    toWithdraw = queue.attempt;
                    queue.attempt = null;
                    toStart = nextClaims.forFirst(queue);
                }
            }
        } finally {
            queue.unlock();
        }
        if (toWithdraw != null) {
            toWithdraw.withdraw();
        }
        nextClaims.startOrRest(queue, toStart);
        return true;
    }
}
