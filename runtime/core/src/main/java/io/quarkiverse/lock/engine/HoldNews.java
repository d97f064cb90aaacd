package io.quarkiverse.lock.engine;

import java.util.concurrent.CompletableFuture;

/** What the users of a hold may hear of it. Made when there is news or somebody listens, so most holds have none. */
final class HoldNews {

    final LossNews lost = new LossNews();
    final CompletableFuture<Void> releaseRequested = new CompletableFuture<>();
    /** Known before those who listen are told, on threads of their own. Set under the queue's guard. */
    volatile boolean asked;
}
