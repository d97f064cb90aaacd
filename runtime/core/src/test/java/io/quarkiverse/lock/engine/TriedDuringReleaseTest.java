package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;

/** A released lock is free, even if another caller failed to get it during the release. */
@Timeout(30)
class TriedDuringReleaseTest {

    private final CompletableFuture<Void> releasing = new CompletableFuture<>();
    private final CompletableFuture<Void> mayRelease = new CompletableFuture<>();
    private final CompletableFuture<Void> answering = new CompletableFuture<>();
    private final CompletableFuture<Void> mayAnswer = new CompletableFuture<>();
    private final VirtualTime time = new VirtualTime();
    private final LockEngine engine = LockEngine
            .builder(HesitantBackend.of(new LocalBackend(new LocalStore(time)), () -> {
                releasing.complete(null);
                mayRelease.join();
            }, () -> {
                answering.complete(null);
                mayAnswer.join();
            })).time(time).threads(CallerThreads.plain(Runnable::run)).start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void fault133_failedTryDuringReleaseLeavesTheLockFree() throws Exception {
        isFreeAfterItsReleaseBy(LockMode.EXCLUSIVE);
    }

    @Test
    void fault133_failedTryDuringReadersReleaseLeavesTheLockFree() throws Exception {
        isFreeAfterItsReleaseBy(LockMode.SHARED);
    }

    private void isFreeAfterItsReleaseBy(LockMode mode) throws Exception {
        LockHandle first = locks.lock("a", LockOptions.DEFAULTS.withMode(mode)).acquire();
        var released = CompletableFuture.runAsync(first::close);
        releasing.get();
        var tried = CompletableFuture.supplyAsync(this::tried);
        CompletableFuture.anyOf(answering, tried).get(); // refused locally, or with the store's refusal on the way
        mayRelease.complete(null);
        released.get();

        Optional<LockHandle> again = tried();
        mayAnswer.complete(null);

        assertThat(again).isPresent();
        assertThat(tried.get()).isEmpty();
        again.get().close();
    }

    private Optional<LockHandle> tried() {
        return locks.lock("a").tryAcquire(Duration.ZERO);
    }
}
