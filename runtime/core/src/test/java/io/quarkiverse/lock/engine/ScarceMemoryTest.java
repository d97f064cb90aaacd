package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.queue.Renewals;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.LockBackend;

/** Held locks are renewed even if there is no memory for a timer of the engine or for a log line. */
class ScarceMemoryTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration LINGER = Duration.ofMillis(200);
    private static final LockOptions OPTIONS = LockOptions.DEFAULTS.withLease(LEASE);

    private final VirtualTime time = new VirtualTime();
    private final ScarceTimers timers = new ScarceTimers();
    private final LocalStore store = new LocalStore(time);
    /** Which of the next calls fails; 0 for none. */
    private int failing;
    /** How many calls fail, one after the other. */
    private int failures = 1;
    private final LockEngine engine = LockEngine.builder(failing(new LocalBackend(store, "test"))).time(timers)
            .threads(CallerThreads.plain(Runnable::run)).start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);

    @AfterEach
    void close() {
        engine.close();
    }

    /** Virtual time whose timers need memory. As with real timers, a failing task does not affect the others. */
    private final class ScarceTimers extends ForwardedTime {

        private int scarce;
        private boolean cancelled = true;
        private int run;

        ScarceTimers() {
            super(time);
        }

        @Override
        public Timer schedule(long delayNanos, Runnable task) {
            if (scarce > 0) {
                scarce--;
                throw new OutOfMemoryError("for this test");
            }
            Timer timer = super.schedule(delayNanos, () -> {
                run++;
                try {
                    task.run();
                } catch (Throwable e) {
                    // the next task may still run
                }
            });
            return cancelled ? timer : () -> {
                // too late to cancel
            };
        }

        @Override
        public void park(Object blocker, long nanos) {
            // a thread that waits for memory retries at once
        }
    }

    private LockBackend failing(LocalBackend backend) {
        return (LockBackend) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { LockBackend.class },
                (proxy, method, args) -> {
                    if (failing > 0 && method.getName().equals("operationTimeout") && --failing == 0) {
                        failing = --failures > 0 ? 1 : 0;
                        throw new OutOfMemoryError("for this test");
                    }
                    try {
                        return method.invoke(backend, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void fault551_laterTimerRemainsWhenEarlierOneCannotBeScheduled() {
        LockHandle hold = locks.lock("a", OPTIONS).acquire();
        timers.scarce = 1;
        assertThatThrownBy(engine::recheck).isInstanceOf(OutOfMemoryError.class);
        assertRenewed(hold);
    }

    @Test
    void fault551_nextRunIsScheduledOnceMemoryIsAvailable() {
        LockHandle hold = locks.lock("a", OPTIONS).acquire();
        LockHandle other = locks.lock("b", OPTIONS.withLease(LEASE.dividedBy(2))).acquire();
        other.close();
        time.advance(LEASE.dividedBy(6).minusMillis(1));
        timers.scarce = 2;
        time.advance(Duration.ofMillis(1)); // nothing is renewed, so no answer schedules another run
        assertThat(timers.scarce).isZero();
        assertRenewed(hold);
    }

    @Test
    void fault551_nextRunIsScheduledEvenIfLoggingFails() {
        LockHandle hold = locks.lock("a", OPTIONS).acquire();
        failing = 1;
        var log = new FullLog();
        try {
            time.advance(LEASE.dividedBy(3));
            assertThat(failing).isZero();
            assertThat(log.told).isOne();
        } finally {
            log.close();
        }
        assertRenewed(hold);
    }

    /** The timer was about to run, or was created before the memory ran out. */
    @Test
    void fault551_uncancelledTimerAddsNoExtraRuns() {
        timers.cancelled = false;
        LockHandle hold = locks.lock("a", OPTIONS).acquire();
        timers.cancelled = true;
        engine.recheck();
        assertRenewed(hold);
        assertThat(timers.run).as("per third of a lease, one that renews and one that expects the answer")
                .isBetween(60, 65);
    }

    @Test
    void fault551_lingeringLockIsReleasedAtTheNextRun() {
        LockManager lingering = lingering();
        LockHandle hold = lingering.lock("a").acquire();
        timers.scarce = 1;
        assertThatThrownBy(hold::close).isInstanceOf(OutOfMemoryError.class);
        lingering.lock("b").acquire().close();
        assertThat(locks.inspect("b")).isPresent();
        time.advance(LINGER);
        assertThat(locks.inspect("a")).isEmpty();
        assertThat(locks.inspect("b")).isEmpty();
    }

    @Test
    void fault551_lingeringLockIsReleasedAfterRunWithoutMemory() {
        LockManager lingering = lingering();
        lingering.lock("a").acquire().close();
        time.advance(Duration.ofMillis(1));
        lingering.lock("b").acquire().close();
        timers.scarce = 10; // for the check of the first lock, and for the next run
        time.advance(LINGER);
        assertThat(timers.scarce).isZero();
        assertThat(locks.inspect("a")).isEmpty();
        assertThat(locks.inspect("b")).isEmpty();
        lingering.lock("a").acquire().close();
        assertThat(locks.inspect("a")).isPresent();
        time.advance(LINGER);
        assertThat(locks.inspect("a")).as("the next time").isEmpty();
    }

    @Test
    void fault574_lingeringLockIsReleasedAfterItsNextHold() {
        LockManager lingering = lingering();
        LockHandle hold = lingering.lock("a").acquire();
        timers.scarce = 1;
        assertThatThrownBy(hold::close).isInstanceOf(OutOfMemoryError.class);
        time.advance(Duration.ofMillis(1));
        lingering.lock("a").acquire().close();
        assertThat(locks.inspect("a")).isPresent();
        time.advance(LINGER);
        assertThat(locks.inspect("a")).isEmpty();
    }

    /** Any of them may be the one with which the run fails. */
    @Test
    void fault575_leasesOfFailedRunAreRenewed() {
        for (int seconds = 1; seconds <= 2; seconds++) {
            LockOptions brief = OPTIONS.withLease(Duration.ofSeconds(seconds));
            List<LockHandle> holds = List.of(locks.lock("a", brief).acquire(), locks.lock("b", brief).acquire(),
                    locks.lock("c", brief).acquire());
            failing = 3;
            failures = 1;
            time.advance(Duration.ofMinutes(1));
            assertThat(failing).isZero();
            assertThat(holds).allMatch(LockHandle::isValid);
            holds.forEach(LockHandle::close);
        }
    }

    /** With the widest margin, half of the lease is over when it is renewed after two failures. */
    @Test
    void fault575_shortestLeaseOutlivesTwoFailedRuns() {
        Duration shortest = Duration.ofSeconds(1);
        try (LockEngine wary = LockEngine.builder(failing(new LocalBackend(store, "wary"))).time(timers)
                .margin(shortest.dividedBy(2)).threads(CallerThreads.plain(Runnable::run)).start();
                LockHandle hold = wary.manager(ManagerDefaults.STANDARD).lock("a", OPTIONS.withLease(shortest)).acquire()) {
            failing = 1;
            failures = 2;
            time.advance(Duration.ofMinutes(1));
            assertThat(failures).isZero();
            assertThat(hold.isValid()).isTrue();
        }
    }

    private LockManager lingering() {
        return engine.manager(new ManagerDefaults("lingering", Duration.ofSeconds(10), LEASE, true, null, OnLost.FAIL, LINGER));
    }

    private void assertRenewed(LockHandle hold) {
        time.advance(LEASE.multipliedBy(10));
        assertThat(hold.isValid()).isTrue();
        hold.close();
    }

    private static final class FullLog extends Handler {

        private final Logger logger = Logger.getLogger(Renewals.class.getName());
        private int told;

        FullLog() {
            logger.addHandler(this);
        }

        @Override
        public void publish(LogRecord logged) {
            told++;
            throw new OutOfMemoryError("for this test");
        }

        @Override
        public void flush() {
            // nothing is buffered
        }

        @Override
        public void close() {
            logger.removeHandler(this);
        }
    }
}
