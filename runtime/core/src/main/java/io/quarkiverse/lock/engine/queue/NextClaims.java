package io.quarkiverse.lock.engine.queue;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.state.ClaimAttempt;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;

/** Asks the backend for the first in line, unless a claim is under way. */
public final class NextClaims {

    private final LockBackend backend;
    private final LockTime time;
    private final Claims claims;
    private final NameTable names;
    private ClaimAnswers answers;

    public NextClaims(LockBackend backend, LockTime time, Claims claims, NameTable names) {
        this.backend = backend;
        this.time = time;
        this.claims = claims;
        this.names = names;
    }

    /** Once, before the first claim: an answer may lead to the next claim, so each of the two knows the other. */
    public void answeredBy(ClaimAnswers answers) {
        this.answers = answers;
    }

    /** Under the guard. {@code null} if nobody waits, or is asked for already, or while the name is ours alone. */
    @Nullable
    public ClaimAttempt forFirst(NameQueue queue) {
        LockHold first = queue.waiting.first();
        if (first == null || queue.attempt != null || queue.heldAlone()) {
            return null;
        }
        queue.attempt = new FirstClaim(queue, claims.make(queue.name, first.settings), time,
                first.waitsHereFor(backend.operationTimeout()), answers);
        return queue.attempt;
    }

    /** To be called when the guard is free. */
    public void startOrRest(NameQueue queue, @Nullable ClaimAttempt toStart) {
        if (toStart != null) {
            toStart.start(backend);
        } else {
            names.idle(queue);
        }
    }
}
