package io.quarkiverse.lock.engine.acquire;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.news.ErrorMessages;
import io.quarkiverse.lock.engine.queue.HandOver;
import io.quarkiverse.lock.engine.queue.Nothing;
import io.quarkiverse.lock.engine.queue.Releases.PendingRelease;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.Patience;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.spi.LockBackend;
import io.smallrye.mutiny.Uni;

/** Leaves a hold and waits for the backend's answer, if the thread may block. */
public final class BlockingRelease {

    private final LockBackend backend;
    private final CallerThreads threads;
    private final ErrorMessages errors;
    private final HandOver handOver;

    public BlockingRelease(LockBackend backend, CallerThreads threads, ErrorMessages errors, HandOver handOver) {
        this.backend = backend;
        this.threads = threads;
        this.errors = errors;
        this.handOver = handOver;
    }

    /** Returns the failure, which has already been logged; {@code null} if there was none. */
    public @Nullable RuntimeException leave(LockHold hold) {
        boolean waits = !threads.blockingForbidden();
        Uni<Void> release = handOver.leave(hold, waits);
        if (release == Nothing.UNI || !waits) {
            return null;
        }
        return await(PendingRelease.answer(release), hold);
    }

    /** Waits for the answer to a release that has been sent; returns its failure. */
    public @Nullable RuntimeException await(CompletableFuture<Void> release, Held held) {
        Duration atMost = Patience.with(backend);
        boolean interrupted = Thread.interrupted(); // the release is sent; its answer arrives in bounded time
        // Not the future's own get(): it may run other tasks of the thread's pool meanwhile, in the scope of this task's locks
        var answered = new CountDownLatch(1);
        var failed = new AtomicReference<@Nullable Throwable>();
        release.whenComplete((nothing, failure) -> {
            failed.set(failure);
            answered.countDown();
        });
        try {
            if (!answered.await(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
                return errors.ofBackend(held.name(), new TimeoutException());
            }
            return unchecked(failed.get());
        } catch (InterruptedException e) {
            interrupted = true;
            return new CompletionException(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** {@link HandOver#giveBack}, and waits for the backend's answers if the thread may block. */
    public void giveBack(Held held) {
        Uni<Void> given = handOver.giveBack(held);
        if (given != Nothing.UNI && !threads.blockingForbidden()) {
            await(PendingRelease.answer(given), held);
        }
    }

    private static @Nullable RuntimeException unchecked(@Nullable Throwable failure) {
        return failure == null || failure instanceof RuntimeException ? (RuntimeException) failure
                : new CompletionException(failure);
    }
}
