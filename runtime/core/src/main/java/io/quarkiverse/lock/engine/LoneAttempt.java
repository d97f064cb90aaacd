package io.quarkiverse.lock.engine;

import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockTime;

/** A claim for one hold and no other. */
final class LoneAttempt extends ClaimAttempt {

    private final LoneHold hold;

    LoneAttempt(NameQueue queue, Claim claim, LockTime time, LoneHold hold) {
        super(queue, claim, time, hold.waitsHereFor(queue.engine.backend().operationTimeout()));
        this.hold = hold;
    }

    @Override
    public void onItem(Answer answer) {
        if (answer instanceof Grant grant) {
            queue.answeredAlone(hold, grant, clockGap());
        } else {
            queue.refusedAlone(hold, Refusal.busy(((Busy) answer).heldBy()));
        }
    }

    @Override
    public void onFailure(Throwable failure) {
        queue.refusedAlone(hold, Refusal.failed(queue.engine.failures().ofBackend(queue.name, failure)));
    }
}
