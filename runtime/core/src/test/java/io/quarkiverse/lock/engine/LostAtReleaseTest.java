package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.reactive.ItemCheck;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.LockEvent;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** A hold was lost if the backend no longer has its grant at the release, even if nobody had noticed. */
class LostAtReleaseTest {

    private final VirtualTime time = new VirtualTime();
    private final ReadClock clock = new ReadClock(time);
    private final PushingBackend backend = new PushingBackend();
    private final List<LockEvent> events = new ArrayList<>();
    private final LockEngine engine = LockEngine.builder(backend).time(clock).listener(events::add)
            .threads(CallerThreads.plain(Runnable::run)).start();
    private final DistributedLock lock = engine.manager(ManagerDefaults.STANDARD).lock("a");
    private final LoggedRecords log = new LoggedRecords(LockEngine.class);

    @AfterEach
    void close() {
        log.close();
        engine.close();
    }

    private List<LockEvent> losses() {
        return events.stream().filter(event -> event.kind() == Kind.LOST).toList();
    }

    @Test
    void fault101_missingGrantOnReleaseIsReportedAsLoss() {
        var told = new AtomicInteger();
        LockHandle hold = lock.acquire();
        hold.onLost(told::incrementAndGet);
        long token = hold.fencingToken();
        backend.gone = true;
        hold.close();
        assertThat(losses()).singleElement().satisfies(loss -> {
            assertThat(loss.name()).isEqualTo("a");
            assertThat(loss.fencingToken()).isEqualTo(token);
            assertThat(loss.reason()).isEqualTo("it was not there");
        });
        assertThat(log.warnings()).singleElement().asString().contains("'a'", "token " + token, "it was not there");
        assertThat(hold.lost().toCompletableFuture()).isCompletedWithValueMatching(loss -> loss.lockName().equals("a"));
        assertThat(told).hasValue(1);
        time.advance(Duration.ofMinutes(1));
        assertThat(backend.released).isEqualTo(1);
    }

    @Test
    void fault101_missingGrantOnRetriedReleaseIsReported() {
        LockHandle hold = lock.acquire();
        backend.unreachable = 1; // and nothing was sent
        backend.gone = true;
        hold.close();
        assertThat(losses()).isEmpty();
        time.advance(Duration.ofMinutes(1));
        assertThat(losses()).hasSize(1);
        assertThat(backend.released).isEqualTo(2);
    }

    @Test
    void fault101_bodyFailsWhenReleaseFindsNoGrant() {
        backend.gone = true;
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock.call(() -> "result"))
                .withMessageContaining("it was not there");
        assertThat(losses()).hasSize(1);
    }

    @Test
    void fault101_bodyFailurePrecedesLossAtRelease() {
        backend.gone = true;
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> lock.call(() -> {
            throw new UnsupportedOperationException();
        })).satisfies(failure -> assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
    }

    @Test
    void fault101_resultIsReturnedWithOnLostNotify() throws Exception {
        backend.gone = true;
        assertThat(engine.manager(defaults(OnLost.NOTIFY)).lock("a").call(() -> "result")).isEqualTo("result");
        assertThat(losses()).hasSize(1);
    }

    @Test
    void fault101_uniFailsWhenReleaseFindsNoGrant() {
        backend.gone = true;
        lock.callAsync(() -> Uni.createFrom().item("result")).subscribe().withSubscriber(UniAssertSubscriber.create())
                .assertFailedWith(LockLostException.class, "it was not there");
        assertThat(losses()).hasSize(1);
    }

    @Test
    void fault299_stageFailsWhenReleaseFindsNoGrant() {
        backend.gone = true;
        assertThat(stage(OnLost.FAIL, () -> "result")).isCompletedExceptionally()
                .failsWithin(Duration.ZERO).withThrowableThat().withCauseInstanceOf(LockLostException.class)
                .withMessageContaining("it was not there");
        assertThat(losses()).hasSize(1);
    }

    @Test
    void fault299_stageResultIsReturnedWithOnLostNotify() {
        backend.gone = true;
        assertThat(stage(OnLost.NOTIFY, () -> "result")).isCompletedWithValue("result");
        assertThat(losses()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3, 4, 5 })
    void fault299_stageFailsWhenLossArrivesDuringRelease(int reading) {
        assertThat(stage(OnLost.FAIL, () -> {
            lostAtReading(reading);
            return "result";
        })).isCompletedExceptionally();
        assertLosses(reading <= 4);
        assertThat(losses()).hasSize(1);
    }

    private static ManagerDefaults defaults(OnLost onLost) {
        ManagerDefaults some = ManagerDefaults.STANDARD;
        return new ManagerDefaults(some.name(), some.waitFor(), some.lease(), some.renew(), some.maxHold(), onLost);
    }

    private CompletableFuture<String> stage(OnLost onLost, Supplier<String> body) {
        LockHold hold = engine.acquire().tryAcquire("a", defaults(onLost).with(LockOptions.DEFAULTS));
        return engine.stages().run(hold, () -> CompletableFuture.completedStage(body.get()), ItemCheck.ANY)
                .toCompletableFuture();
    }

    @Test
    void fault101_lostHoldIsNotReportedTwice() {
        LockHandle hold = lock.acquire();
        backend.listener.lost(backend.last, "for this test");
        backend.gone = true;
        hold.close();
        assertThat(losses()).hasSize(1);
        time.advance(Duration.ofMinutes(1));
        assertThat(backend.released).isEqualTo(1);
    }

    // --- the loss is notified during the release: at each of its clock readings in turn

    /** The loss is reported at that clock reading, counted from now; at the last one tested, the release has found it. */
    private void lostAtReading(int reading) {
        backend.gone = true;
        clock.atReading(reading, () -> backend.listener.lost(backend.last, "it was force-released"));
    }

    private void assertLosses(boolean notified) {
        assertThat(losses()).isNotEmpty().extracting(LockEvent::reason)
                .containsOnly(notified ? "it was force-released" : "it was not there");
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3, 4, 5 })
    void fault180_bodyFailsWhenLossArrivesDuringRelease(int reading) {
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock.call(() -> {
            lostAtReading(reading);
            return "result";
        }));
        assertLosses(reading <= 4);
        assertThat(losses()).hasSize(1);
        assertThat(log.warnings()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3, 4, 5 })
    void fault180_uniFailsWhenLossArrivesDuringRelease(int reading) {
        lock.callAsync(() -> {
            lostAtReading(reading);
            return Uni.createFrom().item("result");
        }).subscribe().withSubscriber(UniAssertSubscriber.create()).assertFailedWith(LockLostException.class);
        assertLosses(reading <= 4);
        assertThat(losses()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2 })
    void fault180_handleSeesLossArrivingDuringRelease(int reading) {
        LockHandle hold = lock.acquire();
        lostAtReading(reading);
        hold.close();
        assertThat(hold.lost().toCompletableFuture()).isCompletedWithValueMatching(loss -> loss.lockName().equals("a"));
        assertLosses(reading <= 1);
        assertThat(losses()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3 })
    void fault180_remainingReaderSeesLossDuringRelease(int reading) {
        DistributedLock shared = engine.manager(ManagerDefaults.STANDARD).lock("a",
                LockOptions.DEFAULTS.withMode(LockMode.SHARED));
        LockHandle first = shared.acquire();
        LockHandle second = shared.acquire();
        lostAtReading(reading);
        first.close();
        second.close();
        assertThat(second.lost().toCompletableFuture()).isCompleted();
        assertLosses(reading <= 2);
    }

    // --- a backend that answers within the call

    /** The store has released it, but the engine does not know yet: a renewal in between finds no grant. */
    @Test
    void fault301_renewalDuringInMemoryReleaseIsNoLoss() throws Exception {
        var store = new LocalBackend(new LocalStore(time));
        var renewed = new AtomicInteger();
        var backend = HesitantBackend.of(store, () -> {
        }, () -> {
        }, () -> time.advance(ManagerDefaults.STANDARD.lease().dividedBy(2)), renewed::incrementAndGet);
        try (LockEngine local = LockEngine.builder(backend).time(time).listener(events::add)
                .threads(CallerThreads.plain(Runnable::run)).start()) {
            DistributedLock lock = local.manager(ManagerDefaults.STANDARD).lock("a");
            assertThat(lock.call(() -> "result")).isEqualTo("result");
            assertThat(renewed).hasValue(1);
            assertThat(losses()).isEmpty();
            assertThat(lock.tryAcquire(Duration.ZERO)).isPresent().hasValueSatisfying(LockHandle::close);
        }
    }

    @Test
    void fault180_bodyFailsWhenInMemoryReleaseFindsNoGrant() {
        var store = new LocalBackend(new LocalStore(time));
        var backend = HesitantBackend.of(store, () -> {
            throw new LockLostException("a", "it was not there", null);
        }, () -> {
        });
        try (LockEngine local = LockEngine.builder(backend).time(time).listener(events::add)
                .threads(CallerThreads.plain(Runnable::run)).start()) {
            DistributedLock lock = local.manager(ManagerDefaults.STANDARD).lock("a");
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock.call(() -> "result"))
                    .withMessageContaining("it was not there");
            assertThat(losses()).hasSize(1);
        }
    }
}
