package io.quarkiverse.lock.engine;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

import org.jetbrains.kotlinx.lincheck.LinChecker;
import org.jetbrains.kotlinx.lincheck.annotations.Operation;
import org.jetbrains.kotlinx.lincheck.annotations.Param;
import org.jetbrains.kotlinx.lincheck.paramgen.ThreadIdGen;
import org.jetbrains.kotlinx.lincheck.strategy.stress.StressOptions;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;

/** The queue of one name behaves as a lock while threads acquire and release it concurrently. */
public class NameQueueLincheckTest {

    /** Number of scenarios. */
    private static final int ITERATIONS = Boolean.getBoolean("lock.test.full") ? 10 : 4;

    private final VirtualTime time = new VirtualTime();
    private final LockManager locks = LockEngine.builder(HesitantBackend.of(new LocalBackend(new LocalStore(time)),
            NameQueueLincheckTest::hesitate, NameQueueLincheckTest::hesitate)).time(time)
            .threads(CallerThreads.plain(Runnable::run)).start().manager(ManagerDefaults.STANDARD);
    private final LockHandle[] held = new LockHandle[8];

    /** Makes threads yield at the wrong moment, which otherwise happens rarely. */
    private static void hesitate() {
        for (int i = ThreadLocalRandom.current().nextInt(4); i > 0; i--) {
            Thread.yield();
        }
    }

    @Operation
    public boolean acquire(@Param(gen = ThreadIdGen.class) int thread) {
        LockHandle handle = locks.lock("a").tryAcquire(Duration.ZERO).orElse(null);
        if (handle != null) {
            held[thread] = handle;
        }
        return handle != null;
    }

    @Operation
    public boolean release(@Param(gen = ThreadIdGen.class) int thread) {
        LockHandle handle = held[thread];
        held[thread] = null;
        if (handle != null) {
            handle.close();
        }
        return handle != null;
    }

    @Test
    void operationsAreLinearizable() {
        LinChecker.check(NameQueueLincheckTest.class,
                new StressOptions().minimizeFailedScenario(false).iterations(ITERATIONS)
                        .invocationsPerIteration(500).threads(3).actorsPerThread(3)
                        .sequentialSpecification(OneAtATime.class));
    }

    /** The sequential specification of a lock. */
    public static class OneAtATime {

        private int holder = -1;

        public boolean acquire(int thread) {
            boolean free = holder == -1;
            if (free) {
                holder = thread;
            }
            return free;
        }

        public boolean release(int thread) {
            boolean mine = holder == thread;
            if (mine) {
                holder = -1;
            }
            return mine;
        }
    }
}
