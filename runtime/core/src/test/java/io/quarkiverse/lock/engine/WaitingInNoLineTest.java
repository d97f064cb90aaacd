package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.lease.Census.Caller;
import io.quarkiverse.lock.engine.lease.Census.Count;
import io.quarkiverse.lock.engine.lease.Census.Group;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.Busy;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** A caller that waits for the store outside any queue is shown like all other waiters. */
class WaitingInNoLineTest {

    private static final Group STANDARD = new Group("<default>", null);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final LockOptions TRY_SHARED = LockOptions.DEFAULTS.withMode(LockMode.SHARED).withWaitFor(Duration.ZERO);
    private static final LockOptions TRY_LIMITED = LockOptions.DEFAULTS.withLimit(3).withWaitFor(Duration.ZERO);

    private final VirtualTime time = new VirtualTime();
    private final AnsweringBackend backend = new AnsweringBackend();
    private final LockEngine engine = LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run))
            .start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);

    {
        backend.together = true;
    }

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void fault334_jointClaimIsCountedAsWaiting() {
        var both = subscribe(locks.all("a", "b").acquireAsync());
        time.advance(SECOND);
        assertThat(waiting()).containsExactlyInAnyOrder(exclusive("a", SECOND), exclusive("b", SECOND));
        assertThat(engine.census().waiting("a")).isEqualTo(1);
        assertThat(engine.census().take()).containsOnly(entry(STANDARD, new Count(0, 2, 0)));

        backend.grantTogether();
        assertThat(engine.census().waiting("a")).isZero();
        assertThat(engine.census().take()).containsOnly(entry(STANDARD, new Count(2, 0, 0)));
        both.getItem().close();
        assertThat(engine.census().take()).isEmpty();
    }

    @Test
    void fault334_waitContinuesWithSingleClaims() {
        var both = subscribe(locks.all("a", "b").acquireAsync());
        time.advance(SECOND);
        backend.refuseTogether();
        assertThat(waiting()).containsExactly(exclusive("a", SECOND));
        backend.grant();
        assertThat(waiting()).as("its turn has just come").containsExactly(exclusive("b", Duration.ZERO));
        backend.grant();
        both.getItem().close();
    }

    @Test
    void fault334_blockingWaitContinuesWithSingleClaims() throws Exception {
        Semaphore asked = new Semaphore(0);
        backend.whenAsked = asked::release;
        LockOptions tenSeconds = LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(10));
        var both = CompletableFuture.supplyAsync(() -> {
            try (LockHandle handle = locks.all(tenSeconds, "a", "b").acquire()) {
                return handle.isValid();
            }
        }, task -> new Thread(task).start());
        awaitParked();
        assertThat(waiting()).containsExactlyInAnyOrder(exclusive("a", Duration.ZERO), exclusive("b", Duration.ZERO));
        time.advance(Duration.ofSeconds(5)); // half of the wait, after which the names are claimed one by one
        assertThat(asked.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
        assertThat(waiting()).containsExactly(exclusive("a", Duration.ofSeconds(5)));
        awaitParked();
        time.advance(Duration.ofSeconds(4));
        backend.grant();
        assertThat(asked.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
        assertThat(waiting()).containsExactly(exclusive("b", Duration.ZERO));
        backend.grant();
        assertThat(both.get(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void fault334_triesForSharedLocksAreCountedAsWaiting() {
        var first = subscribe(locks.lock("a", TRY_SHARED).acquireAsync());
        time.advance(SECOND);
        var second = subscribe(locks.lock("a", TRY_SHARED).acquireAsync());
        var limited = subscribe(locks.lock("b", TRY_LIMITED).acquireAsync());
        assertThat(waiting()).containsExactlyInAnyOrder(waitingFor("a", LockMode.SHARED, 0, SECOND),
                waitingFor("a", LockMode.SHARED, 0, Duration.ZERO), waitingFor("b", LockMode.EXCLUSIVE, 3, Duration.ZERO));
        assertThat(engine.census().waiting("a")).isEqualTo(2);

        backend.answer(0, new Busy("others"));
        first.assertFailedWith(LockBusyException.class);
        assertThat(engine.census().take()).containsOnly(entry(STANDARD, new Count(0, 2, 0)));
        backend.grant(1);
        limited.cancel();
        assertThat(engine.census().take()).containsOnly(entry(STANDARD, new Count(1, 0, 0)));
        second.getItem().close();
        assertThat(engine.census().take()).isEmpty();
    }

    @Test
    void fault334_remainingWaitersAreCountedAfterCancellation() {
        List<UniAssertSubscriber<LockHandle>> all = List.of(tryShared(), tryShared(), tryShared(), tryShared());
        all.get(1).cancel();
        assertThat(engine.census().waiting("a")).isEqualTo(3);
        all.get(3).cancel();
        assertThat(engine.census().waiting("a")).isEqualTo(2);
        all.get(0).cancel();
        assertThat(engine.census().waiting("a")).isEqualTo(1);
        backend.grant(2);
        assertThat(engine.census().waiting("a")).isZero();
        all.get(2).getItem().close();
    }

    private UniAssertSubscriber<LockHandle> tryShared() {
        return subscribe(locks.lock("a", TRY_SHARED).acquireAsync());
    }

    private List<Caller> waiting() {
        return engine.census().callers().stream().filter(caller -> !caller.holds()).toList();
    }

    private static Caller exclusive(String name, Duration since) {
        return waitingFor(name, LockMode.EXCLUSIVE, 0, since);
    }

    private static Caller waitingFor(String name, LockMode mode, int limit, Duration since) {
        return new Caller(false, name, "<default>", null, mode, limit, 0, since.toNanos());
    }

    private void awaitParked() {
        while (time.parkedThreads() == 0) {
            Thread.onSpinWait();
        }
    }

    private static <T> UniAssertSubscriber<T> subscribe(Uni<T> uni) {
        return uni.subscribe().withSubscriber(UniAssertSubscriber.create());
    }
}
