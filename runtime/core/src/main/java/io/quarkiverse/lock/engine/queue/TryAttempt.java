package io.quarkiverse.lock.engine.queue;

import io.quarkiverse.lock.engine.state.ClaimAttempt;
import io.quarkiverse.lock.engine.state.TryHold;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockTime;

/** A claim for one hold and no other. */
public final class TryAttempt extends ClaimAttempt {

    private final TryHold hold;
    private final ClaimAnswers answers;

    TryAttempt(TryHold hold, Claim claim, LockTime time, boolean callerWaits, ClaimAnswers answers) {
        super(claim, time, callerWaits);
        this.hold = hold;
        this.answers = answers;
    }

    @Override
    public void onItem(Answer answer) {
        answers.answeredAlone(hold, answer, clockGap());
    }

    @Override
    public void onFailure(Throwable failure) {
        answers.failedAlone(hold, failure);
    }
}
