package io.quarkiverse.lock.engine.reactive;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.lease.Validity;
import io.quarkiverse.lock.engine.state.Held;

/** What is reported when a body has failed and a lock is lost. */
final class BodyFailure {

    private BodyFailure() {
    }

    /**
     * A loss that counts as failure ends the body at once, unless it is patient: so that comes first, even if the news of it is
     * still under way. Whatever comes second is added as suppressed.
     */
    static Throwable withLoss(Throwable failure, Held held, Validity validity, boolean patient) {
        if (held.isLoss(failure)) {
            return failure;
        }
        LockLostException ending = patient ? null : validity.lossForGood(held, true);
        if (ending != null) {
            LockedPipeline.suppress(ending, failure);
            return ending;
        }
        LockedPipeline.suppress(failure, validity.lossForGood(held, false));
        return failure;
    }
}
