package io.quarkiverse.lock.jpa.claim;

import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Claim;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;

/**
 * The answer to a claim. Not an emitter: an emitter drops an item that it emits while the subscriber cancels, and the dropped
 * grant would never be released.
 */
public final class ClaimUni extends AbstractUni<Answer> {

    private final ClaimFactory claims;
    private final Claim claim;

    public ClaimUni(ClaimFactory claims, Claim claim) {
        this.claims = claims;
        this.claim = claim;
    }

    @Override
    public void subscribe(UniSubscriber<? super Answer> subscriber) {
        var pending = claims.pending(claim, subscriber);
        subscriber.onSubscribe(pending);
        pending.start();
    }
}
