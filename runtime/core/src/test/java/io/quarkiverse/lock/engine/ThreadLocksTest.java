package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;

/** What else a holder of Java locks may take: its wait is unlimited, so it must never wait for itself. */
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

    private boolean isFree(String name) {
        return isFree(LockOptions.DEFAULTS, name);
    }

    private boolean isFree(LockOptions options, String name) {
        var taken = elsewhere.lock(name, options).tryAcquire(Duration.ZERO);
        taken.ifPresent(handle -> handle.close());
        return taken.isPresent();
    }

    // --- several names, some of which it holds

    private Lock java(String... names) {
        return locks.all(names).asJavaLock();
    }

    /** A {@code lock()} that waits for its own thread never ends, so it comes after a {@code tryLock()}. */
    @Test
    void fault530_threadReentersItsNamesTogetherWithOthers() throws Exception {
        Lock a = java("a");
        Lock both = java("a", "b");
        Lock others = java("b", "c");
        both.lock();
        assertThat(a.tryLock()).isTrue();
        a.lock();
        assertThat(others.tryLock()).isTrue();
        others.lockInterruptibly();
        assertThat(java("c").tryLock()).isTrue();
        both.unlock();
        assertThat(isFree("a")).as("still held").isFalse();
        assertThat(isFree("b")).as("still held").isFalse();
        a.unlock();
        a.unlock();
        assertThat(isFree("a")).isTrue();
        others.unlock();
        others.unlock();
        assertThat(isFree("b")).isTrue();
        assertThat(isFree("c")).as("still held").isFalse();
        java("c").unlock();
        assertThat(isFree("c")).isTrue();
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void fault530_singleNameIsReenteredAmongSeveral() {
        Lock a = java("a");
        Lock both = java("a", "b");
        a.lock();
        assertThat(both.tryLock()).isTrue();
        a.unlock();
        assertThat(isFree("a")).as("still held together with b").isFalse();
        both.unlock();
        assertThat(isFree("a") && isFree("b")).isTrue();
    }

    @Test
    void fault530_threadReentersThroughAnotherManager() {
        Lock both = java("a", "b");
        Lock again = engine.manager(ManagerDefaults.STANDARD).lock("b").asJavaLock();
        both.lock();
        assertThat(again.tryLock()).isTrue();
        both.unlock();
        assertThat(isFree("b")).isFalse();
        again.unlock();
        assertThat(isFree("b")).isTrue();
    }

    @Test
    void fault530_failedTryLockLeavesHeldNamesUnchanged() {
        Lock a = java("a");
        a.lock();
        try (LockHandle busy = elsewhere.lock("b").acquire()) {
            assertThat(java("a", "b").tryLock()).isFalse();
            assertThat(busy.isValid()).isTrue();
        }
        assertThat(isFree("a")).isFalse();
        assertThatThrownBy(java("a", "b")::unlock).isInstanceOf(IllegalMonitorStateException.class);
        a.unlock();
        assertThat(isFree("a")).isTrue();
    }

    @Test
    void fault530_readerOfOneNameMayNotWriteAll() {
        Lock reading = locks.lock("b").asReadWriteLock().readLock();
        reading.lock();
        for (Lock writing : List.of(java("a", "b"), java("b", "c"), locks.all("b", "c").asReadWriteLock().writeLock())) {
            assertThatThrownBy(writing::tryLock).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("'b' is already held SHARED here");
            assertThatThrownBy(writing::lock).isInstanceOf(IllegalStateException.class);
        }
        Lock all = locks.all("a", "b").asReadWriteLock().readLock();
        assertThat(all.tryLock()).isTrue();
        reading.unlock();
        assertThat(isFree(SHARED, "b")).isTrue();
        assertThat(isFree("b")).isFalse();
        all.unlock();
        assertThat(isFree("a") && isFree("b")).isTrue();
    }

    @Test
    void writerThroughSeveralNamesStaysExclusive() {
        ReadWriteLock lock = locks.lock("a").asReadWriteLock();
        lock.writeLock().lock();
        assertThat(java("a", "b").tryLock()).isTrue();
        lock.readLock().lock();
        lock.writeLock().unlock();
        assertThat(isFree(SHARED, "a")).isFalse();
        java("a", "b").unlock();
        lock.readLock().unlock();
        assertThat(isFree("a") && isFree("b")).isTrue();
    }

    @Test
    void fault530_reentryTakesNoSecondPermit() {
        LockOptions one = LockOptions.DEFAULTS.withLimit(1);
        Lock both = locks.all(one, "a", "b").asJavaLock();
        both.lock();
        assertThat(locks.lock("a", one).asJavaLock().tryLock()).isTrue();
        assertThatThrownBy(java("b")::tryLock).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'b' is already held with a limit of 1 here");
        locks.lock("a", one).asJavaLock().unlock();
        both.unlock();
        assertThat(isFree("a") && isFree("b")).isTrue();
    }

    @Test
    void fault530_lostNameIsAcquiredAnew() {
        Lock both = java("a", "b");
        Lock a = java("a");
        both.lock();
        elsewhere.forceRelease("a");
        engine.recheck();
        assertThat(a.tryLock()).isTrue();
        assertThat(java("b").tryLock()).isTrue();
        assertThatThrownBy(both::unlock).isInstanceOf(LockLostException.class);
        assertThat(isFree("a")).isFalse();
        a.unlock();
        java("b").unlock();
        assertThat(isFree("a") && isFree("b")).isTrue();
    }

    /** Another thread may release a handle, so its own thread waits for it. */
    @Test
    void handleIsNotReentrantForJavaLocks() {
        try (LockHandle handle = locks.lock("a").acquire()) {
            assertThat(java("a", "b").tryLock()).isFalse();
            assertThat(handle.isValid()).isTrue();
        }
        Lock both = java("a", "b");
        both.lock();
        assertThat(locks.lock("a").tryAcquire(Duration.ZERO)).isEmpty();
        both.unlock();
    }

    @Test
    void lockOfAnotherThreadIsNotReentered() throws Exception {
        java("a", "b").lock();
        FutureTask<Boolean> tried = new FutureTask<>(java("a")::tryLock);
        new Thread(tried).start();
        assertThat(tried.get()).isFalse();
        java("a", "b").unlock();
    }

    // --- inside a scope

    @Test
    void fault532_readerInsideAnExclusiveScopeMayWrite() throws Exception {
        locks.lock("a").call(() -> {
            ReadWriteLock lock = locks.lock("a").asReadWriteLock();
            lock.readLock().lock();
            lock.writeLock().lock();
            lock.writeLock().unlock();
            assertThat(lock.writeLock().tryLock()).isTrue();
            lock.readLock().unlock();
            lock.writeLock().unlock();
            assertThat(isFree(SHARED, "a")).as("the scope is still exclusive").isFalse();
            return null;
        });
        assertThat(isFree("a")).isTrue();
    }

    @Test
    void readerInsideASharedScopeMayNotWrite() throws Exception {
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
    void downgradedWriterMayNotWriteAgain() {
        ReadWriteLock lock = locks.lock("a").asReadWriteLock();
        lock.writeLock().lock();
        lock.readLock().lock();
        lock.writeLock().unlock();
        assertThat(isFree(SHARED, "a")).isTrue();
        assertThatThrownBy(lock.writeLock()::tryLock).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'a' is already held SHARED here");
        lock.readLock().unlock();
        assertThat(isFree("a")).isTrue();
    }
}
