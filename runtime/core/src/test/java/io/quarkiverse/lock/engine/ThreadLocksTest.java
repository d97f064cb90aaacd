package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.locks.ReadWriteLock;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;

/** What a thread that has Java locks may take besides: its wait has no limit, so it must never wait for itself. */
class ThreadLocksTest {

    private static final LockOptions SHARED = LockOptions.DEFAULTS.withMode(LockMode.SHARED);

    private final VirtualTime time = new VirtualTime();
    private final LocalStore store = new LocalStore(time);
    private final LockEngine engine = engine();
    private final LockEngine other = engine();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);
    private final LockManager elsewhere = other.manager(ManagerDefaults.STANDARD);

    private LockEngine engine() {
        return LockEngine.builder(new LocalBackend(store, "test")).time(time).threads(CallerThreads.plain(Runnable::run))
                .start();
    }

    @AfterEach
    void close() {
        engine.close();
        other.close();
    }

    private boolean isFree(LockOptions options, String name) {
        var taken = elsewhere.lock(name, options).tryAcquire(Duration.ZERO);
        taken.ifPresent(handle -> handle.close());
        return taken.isPresent();
    }

    // --- inside a scope

    @Test
    void fault532_aReaderInsideAnExclusiveScopeMayWrite() throws Exception {
        locks.lock("a").call(() -> {
            ReadWriteLock lock = locks.lock("a").asReadWriteLock();
            lock.readLock().lock();
            lock.writeLock().lock();
            lock.writeLock().unlock();
            assertThat(lock.writeLock().tryLock()).isTrue();
            lock.readLock().unlock();
            lock.writeLock().unlock();
            assertThat(isFree(SHARED, "a")).as("the scope is still alone").isFalse();
            return null;
        });
        assertThat(isFree(LockOptions.DEFAULTS, "a")).isTrue();
    }

    @Test
    void aReaderInsideASharedScopeMayNotWrite() throws Exception {
        locks.lock("a", SHARED).call(() -> {
            ReadWriteLock lock = locks.lock("a").asReadWriteLock();
            lock.readLock().lock();
            assertThatThrownBy(lock.writeLock()::lock).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("'a' is already held SHARED here");
            lock.readLock().unlock();
            return null;
        });
    }

    @Test
    void whoHasLetReadersInMayNotWriteAgain() {
        ReadWriteLock lock = locks.lock("a").asReadWriteLock();
        lock.writeLock().lock();
        lock.readLock().lock();
        lock.writeLock().unlock();
        assertThat(isFree(SHARED, "a")).isTrue();
        assertThatThrownBy(lock.writeLock()::tryLock).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'a' is already held SHARED here");
        lock.readLock().unlock();
        assertThat(isFree(LockOptions.DEFAULTS, "a")).isTrue();
    }
}
