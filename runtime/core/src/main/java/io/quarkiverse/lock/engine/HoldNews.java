package io.quarkiverse.lock.engine;

import java.util.concurrent.CompletableFuture;

import io.quarkiverse.lock.LockLostException;

/** What the users of a hold may hear of it. Made when there is news or somebody listens, so most holds have none. */
final class HoldNews {

    final CompletableFuture<LockLostException> lost = new CompletableFuture<>();
    final CompletableFuture<Void> releaseRequested = new CompletableFuture<>();
    /** Known before those who listen are told, on threads of their own. Set under the queue's guard. */
    volatile boolean asked;
}
