package io.quarkiverse.lock.engine;

import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockBackend;
import io.smallrye.mutiny.subscription.Cancellable;

/** A claim on its way: sent to the backend on behalf of whoever is first in the name's queue when the answer comes. */
final class ClaimAttempt {

    private static final Cancellable WITHDRAWN = () -> {
    };

    final Claim claim;
    private final NameQueue queue;
    private final long startedAt;
    private final AtomicReference<@Nullable Cancellable> subscription = new AtomicReference<>();

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
        if (!subscription.compareAndSet(null, started)) {
            started.cancel();
        }
    }

    /** Not before the queue has forgotten this attempt: an answer that comes nevertheless is undone. */
    void withdraw() {
        Cancellable started = subscription.getAndSet(WITHDRAWN);
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
