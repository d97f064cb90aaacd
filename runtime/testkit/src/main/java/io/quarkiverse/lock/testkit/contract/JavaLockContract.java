package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.JavaLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;

/** {@code asJavaLock()} fulfills the contract of {@link Lock}. */
public abstract class JavaLockContract extends JavaViewTest {

    @Test
    void onlyTheOwningThreadMayUnlock() throws Exception {
        Jvm a = jvm();
        Lock lock = a.lock(name()).asJavaLock();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class).hasMessageContaining(name());
        lock.lock();
        try {
            get(start(() -> {
                assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
                assertThat(lock.tryLock()).isFalse();
                return null;
            }));
            assertThat(a.locks().held()).hasSize(1);
        } finally {
            lock.unlock();
        }
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertBecomesFree(jvm(), name(), SOON);
    }

    @Test
    void lockIsReentrantForItsThread() throws Exception {
        Jvm a = jvm();
        Lock one = a.lock(name()).asJavaLock();
        Lock same = a.lock(name()).asJavaLock();
        one.lock();
        same.lockInterruptibly();
        assertThat(one.tryLock()).isTrue();
        assertThat(same.tryLock(15, TimeUnit.SECONDS)).isTrue();
        Lock elsewhere = jvm().lock(name()).asJavaLock();
        for (int i = 0; i < 4; i++) {
            assertThat(elsewhere.tryLock()).as("after " + i + " of 4 unlocks").isFalse();
            one.unlock();
        }
        assertThat(elsewhere.tryLock(15, TimeUnit.SECONDS)).isTrue();
        elsewhere.unlock();
    }

    @Test
    void interruptEndsLockInterruptibly() throws Exception {
        Lock lock = jvm().lock(name()).asJavaLock();
        Thread.currentThread().interrupt();
        assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).as("the exception replaces the interrupt flag").isFalse();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);

        Jvm b = jvm();
        try (LockHandle hold = b.lock(name()).acquire()) {
            assertInterruptible(b, lock::lockInterruptibly);
            assertInterruptible(b, () -> lock.tryLock(60, TimeUnit.SECONDS));
            assertHeld(hold);
        }
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void interruptDoesNotEndLock() throws Exception {
        assertNotInterruptible(jvm(), jvm().lock(name()).asJavaLock());
    }

    @Test
    void interruptDoesNotEndTryLock() {
        Lock lock = jvm().lock(name()).asJavaLock();
        Thread.currentThread().interrupt();
        assertThat(lock.tryLock()).isTrue();
        assertThat(Thread.interrupted()).isTrue();
        lock.unlock();
    }

    @Test
    void tryLockFailsWhileLockIsHeld() throws Exception {
        Lock lock = jvm().lock(name()).asJavaLock();
        try (LockHandle hold = jvm().lock(name()).acquire()) {
            assertThat(lock.tryLock()).isFalse();
            assertThat(lock.tryLock(ANSWERED.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
            assertThat(lock.tryLock(-1, TimeUnit.SECONDS)).isFalse();
            assertHeld(hold);
        }
        assertThat(lock.tryLock(15, TimeUnit.SECONDS)).isTrue();
        lock.unlock();
    }

    @Test
    void newConditionIsUnsupported() {
        Lock lock = jvm().lock(name()).asJavaLock();
        assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void lockAndUnlockReportTheLoss() {
        Jvm a = watchful();
        Lock lock = a.lock(name()).asJavaLock();
        lock.lock();
        jvm().locks().forceRelease(name());
        Await.until("it is lost", SOON, () -> a.locks().held().isEmpty());
        assertThatThrownBy(lock::lock).isInstanceOf(LockLostException.class);
        assertThatThrownBy(lock::tryLock).isInstanceOf(LockLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
        assertThatThrownBy(lock::unlock).as("already unlocked").isInstanceOf(IllegalMonitorStateException.class);
        lock.lock();
        lock.unlock();
    }

    @Test
    @Fault(121)
    void fault121_eachUnlockReportsTheLoss() {
        Jvm a = watchful();
        Lock lock = a.lock(name()).asJavaLock();
        lock.lock();
        lock.lock();
        jvm().locks().forceRelease(name());
        Await.until("it is lost", SOON, () -> a.locks().held().isEmpty());
        assertThatThrownBy(lock::unlock).as("the inner one").isInstanceOf(LockLostException.class);
        assertThatThrownBy(lock::unlock).as("the outer one").isInstanceOf(LockLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    @Fault(130)
    void fault130_javaLockReportsDistributedLockState() throws Exception {
        Jvm a = watchful();
        JavaLock lock = a.lock(name()).asJavaLock();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.holdCount()).isZero();
        assertThat(lock.isValid()).isFalse();
        assertThatThrownBy(lock::fencingToken).isInstanceOf(IllegalMonitorStateException.class).hasMessageContaining(name());
        assertThatThrownBy(() -> lock.extend(WATCHED_LEASE)).isInstanceOf(IllegalMonitorStateException.class);
        lock.lock();
        JavaLock same = a.lock(name()).asJavaLock();
        same.lock();
        assertThat(lock.holdCount()).isEqualTo(2);
        assertThat(lock.fencingToken()).isEqualTo(a.locks().held().get(0).fencingToken())
                .isEqualTo(lock.fencingToken(name()));
        lock.extend(WATCHED_LEASE.multipliedBy(5));
        assertThat(a.locks().held().get(0).validFor()).isGreaterThan(WATCHED_LEASE.multipliedBy(3));
        get(start(() -> {
            assertThat(lock.isHeldByCurrentThread()).isFalse();
            assertThatThrownBy(() -> lock.onLost(() -> {
            })).isInstanceOf(IllegalMonitorStateException.class);
            return null;
        }));
        var told = new CountDownLatch(1);
        lock.onLost(told::countDown);
        jvm().locks().forceRelease(name());
        assertThat(told.await(15, TimeUnit.SECONDS)).isTrue();
        assertThat(lock.isHeldByCurrentThread()).as("it must still be unlocked").isTrue();
        assertThat(lock.isValid()).isFalse();
        assertThatThrownBy(() -> lock.extend(WATCHED_LEASE)).isInstanceOf(LockLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void javaLockReentersEnclosingCall() throws Exception {
        Jvm a = jvm();
        a.lock(name()).call(() -> {
            Lock lock = a.lock(name()).asJavaLock();
            lock.lock();
            lock.unlock();
            return null;
        });
        assertBecomesFree(jvm(), name(), SOON);
    }

    @Test
    void onlyOneThreadIsInsideAtATime() throws Exception {
        Lock[] locks = { jvm().lock(name()).asJavaLock(), jvm().lock(name()).asJavaLock() };
        int[] inside = { 0, 0 }; // current and total number of threads inside; guarded by the lock
        int each = times(100, 10);
        inLanes(4, lane -> {
            for (int i = 0; i < each; i++) {
                Lock lock = locks[lane % 2];
                lock.lock();
                try {
                    assertThat(++inside[0]).isEqualTo(1);
                    inside[1]++;
                    Thread.yield();
                    inside[0]--;
                } finally {
                    lock.unlock();
                }
            }
        });
        assertThat(inside[1]).isEqualTo(4 * each);
    }
}
