package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.news.ClosingException;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Claim;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** A checkpoint is taken while callers wait: each restored copy claims again for them, with tokens of its own. */
class CheckpointedWaitersTest {

    private static final Duration WAIT = Duration.ofSeconds(10);
    private static final LockOptions WAITING = LockOptions.DEFAULTS.withWaitFor(WAIT);
    private static final LockOptions TRYING = LockOptions.DEFAULTS.withWaitFor(Duration.ZERO);
    private static final LockOptions TRYING_TO_SHARE = TRYING.withMode(LockMode.SHARED);

    private final VirtualTime time = new VirtualTime();
    private final AnsweringBackend backend = new AnsweringBackend();
    private final LockEngine engine = LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run))
            .start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);

    @AfterEach
    void close() {
        backend.operationTimeout = Duration.ZERO;
        engine.close();
    }

    private UniAssertSubscriber<LockHandle> ask(LockOptions options) {
        return subscribe(locks.lock("a", options).acquireAsync());
    }

    private static <T> UniAssertSubscriber<T> subscribe(Uni<T> uni) {
        return uni.subscribe().withSubscriber(UniAssertSubscriber.create());
    }

    /** From here on, the process may be copied. */
    private void frozen() {
        engine.beforeCheckpoint();
        assertThat(backend.cancelled).as("withdrawn before the checkpoint")
                .containsExactlyInAnyOrderElementsOf(backend.asked);
    }

    private void restored() {
        engine.afterRestore();
        assertThat(backend.asked).extracting(Claim::token).doesNotHaveDuplicates();
    }

    @Test
    void fault500_waiterClaimsAgainAfterRestore() {
        var waiting = ask(WAITING);
        backend.claim().heldBy("another JVM");
        frozen();
        assertThat(backend.asked).as("no new claim before the restore").hasSize(1);
        restored();
        assertThat(backend.asked).hasSize(2);
        backend.grant();
        waiting.getItem().close();
        assertThat(backend.released).isEqualTo(backend.granted);
    }

    @Test
    void fault500_blockedThreadClaimsAgainAfterRestore() throws Exception {
        var asked = new CountDownLatch(1);
        backend.whenAsked = asked::countDown;
        var held = new CompletableFuture<Boolean>();
        var thread = new Thread(() -> {
            var lock = locks.lock("a").asJavaLock();
            lock.lock();
            held.complete(lock.isHeldByCurrentThread());
            lock.unlock();
        });
        thread.setDaemon(true);
        thread.start();
        assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();
        frozen();
        restored();
        assertThat(held).isNotDone();
        backend.grant();
        assertThat(held).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(true);
        thread.join(60_000);
        assertThat(backend.released).isEqualTo(backend.granted);
    }

    @Test
    void fault500_newCallersAreDeferredUntilRestore() {
        frozen();
        var waiting = ask(WAITING);
        var behind = ask(WAITING);
        assertThat(backend.asked).isEmpty();
        restored();
        backend.grant();
        waiting.getItem().close();
        behind.getItem().close();
        assertThat(backend.asked).as("the second gets it by hand-off").hasSize(1);
    }

    @Test
    void fault500_waitExpiredWhileFrozenStillGetsAnswer() {
        var granted = ask(WAITING);
        frozen();
        time.advance(WAIT);
        granted.assertNotTerminated();
        restored();
        time.advance(Duration.ofMillis(50));
        backend.grant();
        granted.getItem().close();
    }

    @Test
    void fault500_waitExpiredWhileFrozenFailsWithoutAnswer() {
        var unanswered = ask(WAITING);
        frozen();
        time.advance(WAIT);
        restored();
        time.advance(backend.operationTimeout());
        unanswered.assertFailedWith(LockBackendException.class);
        assertThat(backend.cancelled).isEqualTo(backend.asked);
    }

    @Test
    void fault500_multipleNamesAreClaimedOneByOneAfterRestore() {
        backend.together = true;
        var both = subscribe(locks.all("a", "b").acquireAsync());
        assertThat(backend.askedTogether).hasSize(1);
        frozen();
        assertThat(backend.cancelledTogether).isEqualTo(1);
        backend.grantTogether(); // too late
        assertThat(backend.released).isEqualTo(backend.granted);
        var later = subscribe(locks.all("c", "d").acquireAsync());
        assertThat(backend.askedTogether).hasSize(1);
        assertThat(backend.asked).isEmpty();
        restored();
        assertThat(backend.asked).extracting(Claim::name).containsExactlyInAnyOrder("a", "c");
        backend.grant(0);
        backend.grant(1);
        backend.grant(2);
        backend.grant(3);
        assertThat(backend.askedTogether.get(0)).extracting(Claim::token)
                .doesNotContainAnyElementsOf(backend.asked.stream().map(Claim::token).toList());
        both.getItem().close();
        later.getItem().close();
    }

    /** The checkpoint comes just before they are claimed. */
    @Test
    void fault500_jointClaimIsNotSentWhileFrozen() {
        backend.together = true;
        backend.whenChoosing = engine::beforeCheckpoint;
        var both = subscribe(locks.all("a", "b").acquireAsync());
        assertThat(backend.askedTogether).isEmpty();
        assertThat(backend.asked).isEmpty();
        restored();
        backend.grant();
        backend.grant();
        both.getItem().close();
    }

    @Test
    void fault500_immediateTryClaimsAgainAfterRestore() {
        var alone = ask(TRYING);
        frozen();
        restored();
        backend.grant(1);
        alone.getItem().close();
    }

    @Test
    void fault500_immediateSharedTryClaimsAgainAfterRestore() {
        var first = ask(TRYING_TO_SHARE);
        var second = ask(TRYING_TO_SHARE);
        frozen();
        backend.grant(0);
        backend.answer(1, new Busy(null));
        var third = ask(TRYING_TO_SHARE);
        assertThat(backend.released).as("nobody uses the grant").isEqualTo(backend.granted);
        assertThat(backend.asked).hasSize(2);
        time.advance(backend.operationTimeout().multipliedBy(3));
        restored();
        assertThat(backend.asked).hasSize(5);
        backend.grant(2);
        backend.grant(3);
        backend.answer(4, new Busy("another JVM"));
        assertThat(List.of(first, second, third)).filteredOn(each -> each.getItem() != null).hasSize(2)
                .allSatisfy(each -> each.getItem().close());
        assertThat(List.of(first, second, third)).filteredOn(each -> each.getFailure() != null).singleElement()
                .satisfies(each -> each.assertFailedWith(LockBusyException.class));
    }

    /** One of several claims about to be withdrawn: its grant may already be in use. */
    @Test
    void fault500_grantDuringWithdrawalOfOthersIsKept() {
        var callers = List.of(ask(TRYING_TO_SHARE), ask(TRYING_TO_SHARE));
        backend.whenCancelled = () -> {
            backend.whenCancelled = () -> {
            };
            backend.grant(backend.asked.indexOf(backend.claim()) - backend.asked.indexOf(backend.cancelled.get(0)));
        };
        engine.beforeCheckpoint();
        assertThat(backend.cancelled).hasSize(1);
        LockHandle granted = callers.stream().map(UniAssertSubscriber::getItem).filter(Objects::nonNull).findFirst()
                .orElseThrow();
        assertThat(backend.released).isEmpty();
        restored();
        backend.grant();
        granted.close();
    }

    @Test
    void fault500_shutdownBeforeRestoreFailsAllWaiters() {
        var waiting = subscribe(locks.lock("b", WAITING).acquireAsync());
        var alone = ask(TRYING_TO_SHARE);
        frozen();
        var later = ask(TRYING_TO_SHARE);
        assertThat(engine.drain(Duration.ZERO)).isTrue();
        for (var each : List.of(waiting, alone, later)) {
            each.assertFailedWith(ClosingException.class);
        }
    }

    @Test
    void fault501_backendIsNotifiedOfRestoreBeforeClaims() {
        var waiting = ask(WAITING);
        frozen();
        var askedThen = new ArrayList<Claim>();
        backend.whenRestored = () -> {
            askedThen.addAll(backend.asked);
            throw new IllegalStateException("on purpose");
        };
        assertThatThrownBy(this::restored).hasMessage("on purpose");
        assertThat(askedThen).hasSize(1);
        assertThat(backend.asked).as("claimed again nevertheless").hasSize(2);
        backend.grant();
        waiting.getItem().close();
    }

    /** Its claim is withdrawn too late. */
    @Test
    void fault500_lateGrantDuringCheckpointIsReleased() {
        ask(WAITING);
        backend.whenWithdrawn = backend::grant;
        try (var logged = new LoggedRecords(Checkpoint.class)) {
            engine.beforeCheckpoint();
            assertThat(backend.released).hasSize(1).isEqualTo(backend.granted);
            assertThat(engine.held()).isEmpty();
            assertThat(logged.warnings()).isEmpty();
        }
    }

    @Test
    void fault500_unreleasedGrantIsNamedInWarning() {
        backend.operationTimeout = Duration.ofMillis(10);
        ask(WAITING);
        backend.whenWithdrawn = backend::grant;
        backend.releaseFailure = new IllegalStateException("cut");
        try (var logged = new LoggedRecords(Checkpoint.class)) {
            engine.beforeCheckpoint();
            assertThat(logged.warnings()).singleElement().asString().startsWith("1 lock(s) that nobody holds")
                    .contains("[a]", "when their leases end");
        }
        backend.releaseFailure = null;
        time.advance(Duration.ofSeconds(1));
        try (var logged = new LoggedRecords(Checkpoint.class)) {
            engine.beforeCheckpoint();
            assertThat(logged.warnings()).as("it was released").isEmpty();
        }
    }
}
