package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.engine.news.ClosingException;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;

/** An engine starts before its first lock is requested; by then it may have been closed, frozen or notified of events. */
class FirstUseTest {

    private final AnsweringBackend backend = new AnsweringBackend();
    private final VirtualTime time = new VirtualTime();
    private final LockEngine engine = LockEngine.builder(backend).time(time).start();

    private LockHandle take(String name) {
        return take(engine, name);
    }

    private LockHandle take(LockEngine engine, String name) {
        LockManager locks = engine.manager(ManagerDefaults.STANDARD);
        backend.whenAsked = backend::grant;
        return locks.lock(name).acquire();
    }

    @Test
    void unusedEngineClosesItsBackend() {
        engine.close();

        assertThat(backend.closed).isTrue();
        assertThatThrownBy(() -> take("a")).isInstanceOf(ClosingException.class);
        assertThat(backend.asked).isEmpty();
    }

    @Test
    void drainedEngineRejectsAcquire() {
        assertThat(engine.drain(Duration.ZERO)).isTrue();

        assertThatThrownBy(() -> take("a")).isInstanceOf(ClosingException.class);
        assertThat(backend.asked).isEmpty();
        engine.close();
    }

    @Test
    void acquireWorksAfterEarlierCheckpoint() {
        engine.beforeCheckpoint();
        engine.afterRestore();

        assertThat(take("a").isValid()).isTrue();
        engine.close();
    }

    @Test
    void unusedEngineHoldsNothing() {
        engine.recheck();

        assertThat(engine.held()).isEmpty();
        assertThat(backend.renewed).isEmpty();
        engine.close();
    }

    @Test
    void earlyBackendNewsIsIgnored() {
        Grant unknown = new Grant(new Claim("a", 1, 2, LockMode.EXCLUSIVE, 0, 1_000, false), 1, time.nanoTime());
        backend.listener.recheck();
        backend.listener.suspect(unknown);
        backend.listener.waiters(unknown, true);
        backend.listener.releaseRequested(unknown);
        backend.listener.lost(unknown, "a test says so");

        LockHandle hold = take("a");
        assertThat(hold.isValid()).isTrue();
        backend.listener.lost(backend.granted.get(0), "a test says so");
        assertThat(hold.isValid()).isFalse();
        engine.close();
    }

    @Test
    void callbacksUseTheClassLoaderOfEngineStart() throws Exception {
        ClassLoader ours = Thread.currentThread().getContextClassLoader();
        LockEngine engine = LockEngine.builder(backend).time(time).threads(new FewWorkers()).start();
        var seen = new CompletableFuture<ClassLoader>();
        var taken = new CompletableFuture<LockHandle>();
        var stranger = new Thread(() -> {
            try {
                taken.complete(take(engine, "a"));
            } catch (RuntimeException | Error e) {
                taken.completeExceptionally(e);
            }
        });
        stranger.setContextClassLoader(null);
        stranger.start();
        LockHandle hold = taken.get(10, TimeUnit.SECONDS);
        hold.onLost(() -> seen.complete(Thread.currentThread().getContextClassLoader()));
        backend.listener.lost(backend.granted.get(0), "a test says so");

        assertThat(seen.get(10, TimeUnit.SECONDS)).isNotNull().isSameAs(ours);
        engine.close();
    }

    /** Like an application's workers, all of which may be busy. */
    private static final class FewWorkers implements CallerThreads {

        @Override
        public boolean blockingForbidden() {
            return false;
        }

        @Override
        public Executor here() {
            return workers();
        }

        @Override
        public Executor workers() {
            return Runnable::run;
        }
    }
}
