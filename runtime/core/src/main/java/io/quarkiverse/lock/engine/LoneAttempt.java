package io.quarkiverse.lock.engine;

import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockTime;

/** A claim for one hold and no other. */
final class LoneAttempt extends ClaimAttempt {

    private final LoneHold hold;
    private final ClaimAnswers answers;

    LoneAttempt(LoneHold hold, Claim claim, LockTime time, boolean callerWaits, ClaimAnswers answers) {
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
