package io.quarkiverse.lock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import org.jspecify.annotations.Nullable;

/** What the users of a hold may hear of it. Made when there is news or somebody listens, so most holds have none. */
final class HoldNews {

    @SuppressWarnings("rawtypes")
    private static final AtomicReferenceFieldUpdater<HoldNews, CompletableFuture> RELEASE_REQUESTED = AtomicReferenceFieldUpdater
            .newUpdater(HoldNews.class, CompletableFuture.class, "releaseRequested");

    final LossNews lost = new LossNews();
    /** Known before those who listen are told, on threads of their own. Set under the queue's guard. */
    volatile boolean asked;
    private volatile @Nullable CompletableFuture<Void> releaseRequested;

    /** For those who listen, whom every reactive hold has for its loss and few have for this. */
    CompletableFuture<Void> releaseRequested() {
        CompletableFuture<Void> known = releaseRequested;
        if (known == null) {
            known = new CompletableFuture<>();
            if (!RELEASE_REQUESTED.compareAndSet(this, null, known)) {
                known = releaseRequested;
            }
        }
        return known;
    }
}
