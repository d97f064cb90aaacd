package io.quarkiverse.lock.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import org.jetbrains.kotlinx.lincheck.LinChecker;
import org.jetbrains.kotlinx.lincheck.annotations.Operation;
import org.jetbrains.kotlinx.lincheck.strategy.stress.StressOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;

/** The queue of one name, hammered by threads that take it and give it back, is a lock. */
public class NameQueueLincheckTest {

    private final VirtualTime time = new VirtualTime();
    private final LockManager locks = LockEngine.builder(new LocalBackend(new LocalStore(time))).time(time)
            .threads(CallerThreads.plain(Runnable::run)).start().manager(ManagerDefaults.STANDARD);
    private final AtomicReference<@Nullable LockHandle> held = new AtomicReference<>();

    @Operation
    public boolean acquire() {
        LockHandle handle = locks.lock("a").tryAcquire(Duration.ZERO).orElse(null);
        if (handle != null) {
            held.set(handle);
        }
        return handle != null;
    }

    /** Not beside itself: who takes the handle and who closes it would be two steps of the test, not of the lock. */
    @Operation(nonParallelGroup = "release")
    public boolean release() {
        LockHandle handle = held.getAndSet(null);
        if (handle != null) {
            handle.close();
        }
        return handle != null;
    }

    @Test
    void linearizable() {
        LinChecker.check(NameQueueLincheckTest.class,
                new StressOptions().iterations(10).invocationsPerIteration(500).threads(3).actorsPerThread(3)
                        .sequentialSpecification(OneAtATime.class));
    }

    /** What a lock is. */
    public static class OneAtATime {

        private boolean held;

        public boolean acquire() {
            boolean was = held;
            held = true;
            return !was;
        }

        public boolean release() {
            boolean was = held;
            held = false;
            return was;
        }
    }
}
