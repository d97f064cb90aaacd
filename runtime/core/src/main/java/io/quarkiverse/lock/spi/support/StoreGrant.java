package io.quarkiverse.lock.spi.support;

import java.util.concurrent.atomic.AtomicBoolean;

import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;

/** A grant that remembers whether its release was attempted: only the first attempt can tell that the grant was lost. */
final class StoreGrant extends Grant {

    private final AtomicBoolean releaseAttempted = new AtomicBoolean();

    StoreGrant(Claim claim, long fence, long sentAt) {
        super(claim, fence, sentAt);
    }

    boolean firstRelease() {
        return releaseAttempted.compareAndSet(false, true);
    }
}
