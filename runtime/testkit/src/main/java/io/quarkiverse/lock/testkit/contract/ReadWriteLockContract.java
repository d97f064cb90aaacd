package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;

/**
 * {@code asReadWriteLock()} fulfills the contracts of {@link ReadWriteLock} and {@link Lock}. For backends with
 * {@link io.quarkiverse.lock.spi.Feature#SHARED}.
 */
@Needs(features = Feature.SHARED)
public abstract class ReadWriteLockContract extends JavaViewTest {

    @Test
    void readersShareAndWritersExclude() throws Exception {
        ReadWriteLock a = jvm().lock(name()).asReadWriteLock();
        ReadWriteLock b = jvm().lock(name()).asReadWriteLock();
        a.readLock().lock();
        b.readLock().lockInterruptibly();
        get(start(() -> {
            assertThat(a.writeLock().tryLock()).isFalse();
            assertThat(b.writeLock().tryLock(ANSWERED.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
            return null;
        }));
        a.readLock().unlock();
        b.readLock().unlock();
        a.writeLock().lock();
        get(start(() -> {
            assertThat(a.readLock().tryLock()).isFalse();
            assertThat(b.readLock().tryLock(ANSWERED.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
            assertThat(b.writeLock().tryLock()).isFalse();
            return null;
        }));
        a.writeLock().unlock();
        assertBecomesFree(jvm(), name(), SOON);
    }

    @Test
    void readWriteLockConflictsWithOtherViews() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        // Neither side uses the mode of the options
        ReadWriteLock lock = a.locks().lock(name(), LockOptions.DEFAULTS.withMode(LockMode.SHARED)).asReadWriteLock();
        lock.readLock().lock();
        b.shared(name()).acquire().close();
        assertThat(b.lock(name()).tryAcquire(java.time.Duration.ZERO)).isEmpty();
        assertThat(get(start(() -> a.lock(name()).asJavaLock().tryLock()))).as("the other view").isFalse();
        lock.readLock().unlock();
        lock.writeLock().lock();
        assertThat(b.locks().lock(name(), LockOptions.DEFAULTS.withMode(LockMode.SHARED)).tryAcquire(java.time.Duration.ZERO))
                .isEmpty();
        lock.writeLock().unlock();
    }

    @Test
    void onlyTheOwnerMayUnlockEachSide() throws Exception {
        Jvm a = jvm();
        ReadWriteLock lock = a.lock(name()).asReadWriteLock();
        lock.readLock().lock();
        assertThatThrownBy(lock.writeLock()::unlock).isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining(name()).hasMessageContaining("exclusively");
        get(start(() -> {
            assertThatThrownBy(lock.readLock()::unlock).isInstanceOf(IllegalMonitorStateException.class);
            return null;
        }));
        lock.readLock().unlock();
        assertThatThrownBy(lock.readLock()::unlock).isInstanceOf(IllegalMonitorStateException.class);
        lock.writeLock().lock();
        assertThatThrownBy(lock.readLock()::unlock).isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("shared");
        lock.writeLock().unlock();
        assertThat(a.locks().held()).isEmpty();
    }

    @Test
    void lockIsReentrantForItsThread() throws Exception {
        ReadWriteLock lock = jvm().lock(name()).asReadWriteLock();
        Lock elsewhere = jvm().lock(name()).asReadWriteLock().writeLock();
        lock.readLock().lock();
        assertThat(lock.readLock().tryLock()).isTrue();
        lock.readLock().unlock();
        assertThat(elsewhere.tryLock()).isFalse();
        lock.readLock().unlock();
        assertThat(elsewhere.tryLock(15, TimeUnit.SECONDS)).isTrue();
        elsewhere.unlock();
    }

    /** With {@link Feature#DOWNGRADE} it lets readers in earlier. */
    @Test
    void withoutDowngradeWriterStaysExclusiveUntilBothUnlocks() throws Exception {
        ReadWriteLock lock = jvmOver(faulty().without(Feature.DOWNGRADE)).lock(name()).asReadWriteLock();
        Lock reader = jvm().lock(name()).asReadWriteLock().readLock();
        lock.writeLock().lock();
        lock.readLock().lock();
        lock.writeLock().unlock();
        assertThat(reader.tryLock()).as("the read lock is still exclusive").isFalse();
        lock.readLock().unlock();
        assertThat(reader.tryLock(15, TimeUnit.SECONDS)).isTrue();
        reader.unlock();
    }

    @Test
    void readLockCannotBeUpgraded() {
        ReadWriteLock lock = jvm().lock(name()).asReadWriteLock();
        lock.readLock().lock();
        assertThatThrownBy(lock.writeLock()::lock).isInstanceOf(IllegalStateException.class).hasMessageContaining(name());
        assertThatThrownBy(lock.writeLock()::tryLock).isInstanceOf(IllegalStateException.class);
        lock.readLock().unlock();
        assertThat(lock.writeLock().tryLock()).isTrue();
        lock.writeLock().unlock();
    }

    @Test
    void interruptEndsWaitOnEitherSide() throws Exception {
        ReadWriteLock lock = jvm().lock(name()).asReadWriteLock();
        for (Lock side : List.of(lock.readLock(), lock.writeLock())) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(side::lockInterruptibly).isInstanceOf(InterruptedException.class);
            assertThat(Thread.currentThread().isInterrupted()).as("the exception replaces the interrupt flag").isFalse();
        }
        Jvm holder = jvm();
        try (LockHandle hold = holder.lock(name()).acquire()) {
            for (Lock side : List.of(lock.readLock(), lock.writeLock())) {
                assertInterruptible(holder, side::lockInterruptibly);
            }
            assertHeld(hold);
        }
        assertThatThrownBy(lock.readLock()::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void interruptDoesNotEndLock() throws Exception {
        assertNotInterruptible(jvm(), jvm().lock(name()).asReadWriteLock().readLock());
    }

    @Test
    void newConditionIsUnsupported() {
        ReadWriteLock lock = jvm().lock(name()).asReadWriteLock();
        assertThatThrownBy(lock.readLock()::newCondition).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(lock.writeLock()::newCondition).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void readWriteLockRejectsLimit() {
        Jvm a = jvm();
        assertThatThrownBy(a.limited(name(), 2)::asReadWriteLock).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(name()).hasMessageContaining("limit");
    }

    @Test
    void lockAndUnlockReportTheLoss() {
        Jvm a = watchful();
        ReadWriteLock lock = a.lock(name()).asReadWriteLock();
        for (Lock side : List.of(lock.readLock(), lock.writeLock())) {
            side.lock();
            jvm().locks().forceRelease(name());
            Await.until("it is lost", SOON, () -> a.locks().held().isEmpty());
            assertThatThrownBy(side::lock).isInstanceOf(LockLostException.class);
            assertThatThrownBy(side::unlock).isInstanceOf(LockLostException.class);
            assertThatThrownBy(side::unlock).as("already unlocked").isInstanceOf(IllegalMonitorStateException.class);
        }
    }

    @Test
    @Fault(428)
    void fault428_notifyOnlyLossDoesNotFailUnlock() {
        Jvm a = watchful();
        ManagerDefaults some = ManagerDefaults.STANDARD;
        ReadWriteLock lock = a.engine().manager(new ManagerDefaults(some.name(), some.waitFor(), some.lease(), some.renew(),
                some.maxHold(), OnLost.NOTIFY)).lock(name()).asReadWriteLock();
        lock.writeLock().lock();
        lock.readLock().lock();
        jvm().locks().forceRelease(name());
        Await.until("it is lost", SOON, () -> a.locks().held().isEmpty());
        lock.writeLock().unlock();
        lock.readLock().unlock();
        assertBecomesFree(jvm(), name(), SOON);
    }

    @Test
    void readersSeeNoConcurrentWrites() throws Exception {
        ReadWriteLock[] locks = { jvm().lock(name()).asReadWriteLock(), jvm().lock(name()).asReadWriteLock() };
        List<Integer> written = new ArrayList<>(); // guarded by the lock
        int each = times(40, 5);
        inLanes(4, lane -> {
            ReadWriteLock lock = locks[lane % 2];
            for (int i = 0; i < each; i++) {
                if (lane < 2) {
                    lock.writeLock().lock();
                    try {
                        written.add(written.size());
                    } finally {
                        lock.writeLock().unlock();
                    }
                } else {
                    lock.readLock().lock();
                    try {
                        int size = written.size();
                        Thread.yield();
                        assertThat(written).hasSize(size);
                    } finally {
                        lock.readLock().unlock();
                    }
                }
            }
        });
        assertThat(written).hasSize(2 * each);
    }
}
