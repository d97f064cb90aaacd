package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.TestTime;

/** The client's wall clock decides nothing: after a jump, a hold is only confirmed again. */
public abstract class ClockContract extends ContractTest {

    @Test
    @Rule(13)
    @Fault(21)
    void fault21_wallClockJumpLosesNoLock() {
        for (Duration jump : List.of(Duration.ofHours(1), Duration.ofDays(-400))) {
            var time = new TestTime();
            Jvm a = jvm("jumping" + jump, builder -> builder.time(time));
            Jvm b = jvm();
            try (LockHandle hold = a.lock(name()).acquire()) {
                time.shiftWallClock(jump);
                assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
                Await.until("confirmed and valid again", SOON, hold::isValid);
                Await.during("stays valid", Duration.ofMillis(200), hold::isValid);
                assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
                assertThat(a.count(Kind.LOST)).isZero();
            }
        }
    }

    @Test
    @Rule(13)
    @Fault(22)
    void fault22_holdIsInvalidAfterSuspensionUntilConfirmed() {
        var time = new TestTime();
        FaultyBackend faulty = faulty();
        Jvm a = connected(closeLater(new Jvm(faulty, builder -> builder.time(time))), faulty);
        try (LockHandle hold = a.lock(name()).acquire()) {
            faulty.failRenewals(1_000_000);
            time.shiftWallClock(Duration.ofMinutes(10));
            Await.during("not valid while nobody has confirmed it", Duration.ofMillis(300), () -> !hold.isValid());
            assertThat(a.count(Kind.LOST)).isZero();
            faulty.failRenewals(0);
            faulty.heal(); // the connection is back
            Await.until("valid again", SOON, hold::isValid);
        }
    }

    @Test
    @Rule(13)
    @Fault(123)
    void fault123_repeatedValidityChecksRenewOnlyOnce() {
        var time = new TestTime();
        FaultyBackend faulty = faulty();
        Jvm a = connected(closeLater(new Jvm(faulty, builder -> builder.time(time))), faulty);
        try (LockHandle hold = a.lock(name(), Duration.ofMinutes(1)).acquire()) {
            faulty.failRenewals(1_000_000);
            int before = faulty.renewals();
            time.shiftWallClock(Duration.ofMinutes(10));
            Await.during("not valid while nobody has confirmed it", Duration.ofMillis(500), () -> !hold.isValid());
            // One; a backend with several servers renews again after connecting to another of them
            assertThat(faulty.renewals() - before).as("renewals; the next one is due only after some seconds").isBetween(1, 3);
            faulty.failRenewals(0);
            faulty.heal();
            Await.until("valid again", SOON, hold::isValid);
        }
    }

    @Test
    @Rule(13)
    @Fault(22)
    void fault22_lossDuringSuspensionIsDetected() {
        var time = new TestTime();
        FaultyBackend faulty = faulty();
        Jvm a = connected(closeLater(new Jvm(faulty, builder -> builder.time(time))), faulty);
        LockHandle hold = a.lock(name()).acquire();
        faulty.forget(name());
        try (LockHandle next = jvm().lock(name()).acquire()) {
            time.shiftWallClock(Duration.ofMinutes(10));
            assertThat(hold.isValid()).isFalse();
            assertThat(hold.lost().toCompletableFuture()).succeedsWithin(SOON);
            assertHeld(next);
            hold.close();
            assertHeld(next);
        }
    }

    @Test
    @Rule({ 1, 13 })
    @Fault(107)
    void fault107_grantIsConfirmedAfterSuspendedWait() throws Exception {
        var time = new TestTime();
        Jvm a = jvm();
        Jvm b = jvm("jumping", builder -> builder.time(time));
        LockHandle hold = a.lock(name()).acquire();
        CompletableFuture<Boolean> valid = start(() -> {
            try (LockHandle next = b.lock(name()).acquire()) {
                return next.isValid();
            }
        });
        awaitWaiters(a, name(), 1);
        time.shiftWallClock(Duration.ofMinutes(10));
        hold.close();
        assertThat(get(valid)).as("valid from the start").isTrue();
    }

    @Test
    @Rule(13)
    void waitUsesTheMonotonicClock() throws Exception {
        var time = new TestTime();
        Jvm a = jvm();
        Jvm b = jvm("jumping", builder -> builder.time(time));
        LockHandle hold = a.lock(name()).acquire();
        var waiting = start(() -> b.lock(name()).acquire());
        awaitWaiters(a, name(), 1);
        time.shiftWallClock(Duration.ofHours(5));
        Await.during("it waits on", Duration.ofMillis(200), () -> !waiting.isDone());
        hold.close();
        get(waiting).close();
    }
}
