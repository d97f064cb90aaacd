package io.quarkiverse.lock.engine;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockBackend;
import io.smallrye.mutiny.subscription.Cancellable;

/** A claim on its way: sent to the backend on behalf of whoever is first in the name's queue when the answer comes. */
final class ClaimAttempt {

    final Claim claim;
    private final NameQueue queue;
    private final long startedAt;
    private @Nullable Cancellable subscription;
    private boolean withdrawn;

    ClaimAttempt(NameQueue queue, Claim claim, long startedAt) {
        this.queue = queue;
        this.claim = claim;
        this.startedAt = startedAt;
    }

    /** Whether a grant for this claim is also right for {@code hold}. */
    boolean suits(Hold hold) {
        return claim.waits() && hold.settings.leaseNanos() == claim.leaseNanos();
    }

    long startedAt() {
        return startedAt;
    }

    void start(LockBackend backend) {
        Cancellable started = backend.acquire(claim).subscribe().with(this::answered, this::failed);
        boolean cancelNow;
        synchronized (this) {
            subscription = started;
            cancelNow = withdrawn;
        }
        if (cancelNow) {
            started.cancel();
        }
    }

    /** Not before the queue has forgotten this attempt: an answer that comes nevertheless is undone. */
    void withdraw() {
        Cancellable started;
        synchronized (this) {
            withdrawn = true;
            started = subscription;
        }
        if (started != null) {
            started.cancel();
        }
    }

    private void answered(Answer answer) {
        queue.answered(this, answer);
    }

    private void failed(Throwable failure) {
        queue.failed(this, failure);
    }
}
