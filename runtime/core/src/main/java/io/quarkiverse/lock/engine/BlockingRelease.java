package io.quarkiverse.lock.engine;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

import io.smallrye.mutiny.Uni;

/** Leaves a hold and waits for the backend's answer, as far as the thread may. */
final class BlockingRelease {

    private BlockingRelease() {
    }

    /** What went wrong, which has been logged by then; {@code null} if nothing did. */
    static @Nullable RuntimeException of(Hold hold, LockEngine engine) {
        boolean waits = !engine.threads().blockingForbidden();
        Uni<Void> release = hold.leave(waits);
        if (release == Nothing.UNI || !waits) {
            return null;
        }
        return await(release, hold, engine);
    }

    static @Nullable RuntimeException await(Uni<Void> release, Hold hold, LockEngine engine) {
        Duration atMost = engine.backend().operationTimeout().plusMillis(500);
        boolean interrupted = Thread.interrupted(); // the release is sent; its answer comes in bounded time
        try {
            PendingRelease.answer(release).get(atMost.toNanos(), TimeUnit.NANOSECONDS);
            return null;
        } catch (TimeoutException e) {
            return engine.failures().ofBackend(hold.name(), e);
        } catch (ExecutionException e) {
            return e.getCause() instanceof RuntimeException failure ? failure : new CompletionException(e.getCause());
        } catch (InterruptedException e) {
            interrupted = true;
            return new CompletionException(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
