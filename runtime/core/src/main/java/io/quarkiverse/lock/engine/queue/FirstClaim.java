package io.quarkiverse.lock.engine.queue;

import io.quarkiverse.lock.engine.state.ClaimAttempt;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockTime;

/** A claim on behalf of the hold that is first in the name's queue when the answer comes. */
public final class FirstClaim extends ClaimAttempt {

    private final NameQueue queue;
    private final ClaimAnswers answers;

    FirstClaim(NameQueue queue, Claim claim, LockTime time, boolean callerWaits, ClaimAnswers answers) {
        super(claim, time, callerWaits);
        this.queue = queue;
        this.answers = answers;
    }

    @Override
    public void onItem(Answer answer) {
        answers.answered(queue, this, answer);
    }

    @Override
    public void onFailure(Throwable failure) {
        answers.failed(queue, this, failure);
    }
}
