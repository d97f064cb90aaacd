package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Spin;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;

/**
 * A process is restored while a thread downgrades a lock: the new lease must not count as confirmed like the old one.
 * No hook runs between the copy and the replacement, so two threads race for that moment, and meet about once in twenty rounds.
 */
class DoubtAtDowngradeTest {

    private static final int ROUNDS = 2_000;

    private final VirtualTime time = new VirtualTime();
    private final LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time))).time(time)
            .threads(CallerThreads.plain(Runnable::run)).start();
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger restored = new AtomicInteger();

    @Test
    void fault516_leaseReplacedDuringRestoreIsNotTrusted() throws Exception {
        LockManager locks = engine.manager(ManagerDefaults.STANDARD);
        var restoring = new Thread(this::restore, "restoring");
        restoring.start();
        int trusted = 0;
        for (int round = 1; round <= ROUNDS; round++) {
            LockHandle hold = locks.lock("a").acquire();
            time.pause(Duration.ofNanos(1)); // runs no timer, so nothing is confirmed
            begun.set(round);
            hesitate(30);
            hold.downgrade();
            int now = round;
            Spin.until("it is restored", () -> restored.get() >= now);
            if (hold.isValid()) {
                trusted++;
            }
            hold.close();
        }
        restoring.join(60_000);
        assertThat(restoring.isAlive()).isFalse();
        engine.close();
        assertThat(trusted).as("unconfirmed leases that are valid after being replaced during the restore").isZero();
    }

    private void restore() {
        for (int round = 1; round <= ROUNDS; round++) {
            int now = round;
            Spin.until("the next round", () -> begun.get() >= now);
            hesitate(60);
            engine.afterRestore();
            restored.set(round);
        }
    }

    private static void hesitate(int most) {
        for (int i = ThreadLocalRandom.current().nextInt(most); i > 0; i--) {
            Thread.onSpinWait();
        }
    }
}
