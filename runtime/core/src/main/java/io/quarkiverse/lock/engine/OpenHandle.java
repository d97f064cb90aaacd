package io.quarkiverse.lock.engine;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockOptions;
import io.smallrye.mutiny.Uni;

/** One user's view of a hold, outer or nested; it ends with its own release, the hold with the last one. */
final class OpenHandle implements LockHandle {

    private final Hold hold;
    private final LockEngine engine;
    private final ForgottenHandles.Watch watch;
    private final AtomicReference<@Nullable Uni<Void>> released = new AtomicReference<>();

    /** The caller is already counted as a user of the hold. */
    OpenHandle(Hold hold, LockEngine engine) {
        this.hold = hold;
        this.engine = engine;
        this.watch = engine.forgottenHandles().watch(this, hold);
    }

    @Override
    public String name() {
        return hold.name();
    }

    @Override
    public long fencingToken() {
        return hold.fencingToken();
    }

    @Override
    public boolean isValid() {
        return released.get() == null && hold.valid();
    }

    @Override
    public Duration validFor() {
        return released.get() == null ? Duration.ofNanos(hold.validNanos()) : Duration.ZERO;
    }

    @Override
    public void onLost(Runnable callback) {
        lost().thenRun(callback);
    }

    @Override
    public CompletionStage<LockLostException> lost() {
        return hold.lost().thenApply(loss -> loss);
    }

    @Override
    public void extend(Duration lease) {
        if (engine.threads().blockingForbidden()) {
            throw engine.threads()
                    .blockingRefused("Lock '" + name() + "' cannot be extended on an event loop: use extendAsync()");
        }
        BlockingAnswer.of(extendAsync(lease), name(), engine);
    }

    @Override
    public Uni<Void> extendAsync(Duration lease) {
        LockOptions.checkLease(lease);
        return Uni.createFrom().deferred(() -> {
            if (released.get() != null || !hold.live()) {
                return Uni.createFrom().failure(hold.loss());
            }
            return engine.extend(hold, lease);
        });
    }

    @Override
    public Uni<Void> release() {
        Uni<Void> known = released.get();
        if (known != null) {
            return known;
        }
        PendingRelease marker = new PendingRelease();
        if (!released.compareAndSet(null, marker)) {
            return released.get();
        }
        watch.released();
        Uni<Void> answer = hold.leave();
        answer.subscribe().with(ignored -> marker.complete(null), marker::complete);
        return marker;
    }

    @Override
    public void close() {
        Uni<Void> release = release();
        if (PendingRelease.isDone(release) || engine.threads().blockingForbidden()) {
            return;
        }
        BlockingRelease.await(release, hold, engine);
    }

    @Override
    public String toString() {
        return "LockHandle[" + name() + ", fencingToken=" + fencingToken() + ", valid=" + isValid() + "]";
    }
}
