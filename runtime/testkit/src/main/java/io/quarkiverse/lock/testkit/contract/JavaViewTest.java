package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.testkit.Await;

/** Shared by the tests of the {@code java.util.concurrent} views of a lock: what an interrupt does to waiters. */
abstract class JavaViewTest extends ContractTest {

    interface Interruptible {
        void run() throws InterruptedException;
    }

    /** @param holder has the lock */
    final void assertInterruptible(Jvm holder, Interruptible wait) throws Exception {
        var thread = new CompletableFuture<Thread>();
        var flag = start(() -> {
            thread.complete(Thread.currentThread());
            assertThatThrownBy(wait::run).isInstanceOf(InterruptedException.class);
            return Thread.currentThread().isInterrupted();
        });
        awaitWaiters(holder, name(), 1);
        thread.get().interrupt();
        assertThat(get(flag)).isFalse();
        awaitWaiters(holder, name(), 0);
    }

    /** @param holder takes the lock, and releases it when the interrupt is over */
    final void assertNotInterruptible(Jvm holder, Lock lock) throws Exception {
        LockHandle hold = holder.lock(name()).acquire();
        var thread = new CompletableFuture<Thread>();
        var flag = start(() -> {
            thread.complete(Thread.currentThread());
            lock.lock();
            boolean interrupted = Thread.interrupted();
            lock.unlock();
            return interrupted;
        });
        awaitWaiters(holder, name(), 1);
        thread.get().interrupt();
        Await.until("the interrupt has been noticed", SOON, () -> !thread.join().isInterrupted());
        awaitWaiters(holder, name(), 1);
        assertThat(flag).isNotDone();
        hold.close();
        assertThat(get(flag)).as("the interrupt is there again").isTrue();
    }
}
