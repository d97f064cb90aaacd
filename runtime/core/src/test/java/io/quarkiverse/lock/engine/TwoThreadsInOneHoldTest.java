package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.acquire.Scopes;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;

/** The scopes of a thread do not depend on those that other threads enter. */
class TwoThreadsInOneHoldTest {

    private final VirtualTime time = new VirtualTime();
    private final LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time), "test")).time(time)
            .threads(CallerThreads.plain(Runnable::run)).start();
    private final HoldSettings settings = ManagerDefaults.STANDARD.with(LockOptions.DEFAULTS);
    private final HoldSettings interrupting = new HoldSettings("<default>", null, 1, 30_000_000_000L, true, Long.MAX_VALUE,
            OnLost.INTERRUPT, 0, LockMode.EXCLUSIVE, 0);
    private final Scopes scopes = engine.scopes();
    private final ExecutorService another = Executors.newSingleThreadExecutor();
    private final ExecutorService third = Executors.newSingleThreadExecutor();

    @AfterEach
    void close() {
        another.shutdown();
        third.shutdown();
        engine.close();
    }

    @Test
    void fault124_eachThreadHasItsOwnScopes() throws Exception {
        LockHold shared = engine.acquire().tryAcquire("shared", settings);
        LockHold mine = engine.acquire().tryAcquire("mine", settings);
        LockHold others = engine.acquire().tryAcquire("others", settings);
        CyclicBarrier step = new CyclicBarrier(2);
        Future<?> there = another.submit(() -> scopes.within(others, () -> scopes.within(shared, () -> {
            await(step); // both are in
            await(step); // the first one is out
            assertInnermost(shared, others);
            return null;
        })));
        scopes.within(mine, () -> {
            scopes.within(shared, () -> {
                await(step);
                assertInnermost(shared, mine);
                return null;
            });
            assertInnermost(mine);
            await(step);
            return null;
        });
        there.get(10, TimeUnit.SECONDS);
        assertThat(scopes.innermost()).isNull();
        assertThat(CompletableFuture.supplyAsync(scopes::innermost, another).get(10, TimeUnit.SECONDS)).isNull();
        for (LockHold hold : new LockHold[] { shared, mine, others }) {
            engine.release().leave(hold);
        }
    }

    @Test
    void fault422_lossInterruptsSecondThreadAfterFirstHasLeft() throws Exception {
        interruptsWhoStays(another, third);
    }

    @Test
    void fault422_lossInterruptsFirstThreadAfterSecondHasLeft() throws Exception {
        interruptsWhoStays(third, another);
    }

    private void interruptsWhoStays(ExecutorService leaves, ExecutorService stays) throws Exception {
        LockHold hold = enteredByTwo();
        on(leaves, () -> scopes.end(hold, null));
        CountDownLatch goesOn = new CountDownLatch(1);
        Future<?> inside = stays.submit(() -> interrupted(hold, goesOn));
        assertThat(goesOn.await(10, TimeUnit.SECONDS)).isTrue();
        engine.manager(ManagerDefaults.STANDARD).forceRelease("a");
        inside.get(20, TimeUnit.SECONDS);
    }

    @Test
    void fault422_lossInterruptsAllThreadsInside() throws Exception {
        LockHold hold = enteredByTwo();
        CountDownLatch goOn = new CountDownLatch(2);
        Future<?> one = another.submit(() -> interrupted(hold, goOn));
        Future<?> two = third.submit(() -> interrupted(hold, goOn));
        assertThat(goOn.await(10, TimeUnit.SECONDS)).isTrue();
        engine.manager(ManagerDefaults.STANDARD).forceRelease("a");
        one.get(20, TimeUnit.SECONDS);
        two.get(20, TimeUnit.SECONDS);
    }

    /** As when the transaction of a lock moves to another thread. */
    private LockHold enteredByTwo() throws Exception {
        LockHold hold = engine.acquire().tryAcquire("a", interrupting);
        assertThat(hold.enter()).isTrue();
        on(another, () -> scopes.begin(hold));
        on(third, () -> scopes.begin(hold));
        return hold;
    }

    private void interrupted(LockHold hold, CountDownLatch goesOn) {
        goesOn.countDown();
        assertThatThrownBy(() -> new CountDownLatch(1).await(10, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class)
                .satisfies(interruption -> assertThatThrownBy(() -> scopes.end(hold, interruption))
                        .isInstanceOf(LockLostException.class).hasSuppressedException(interruption));
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    private static void on(ExecutorService thread, Runnable step) throws Exception {
        thread.submit(step).get(10, TimeUnit.SECONDS);
    }

    private void assertInnermost(LockHold... holds) {
        assertThat(scopes.innermost()).isSameAs(holds[0]);
        for (LockHold hold : holds) {
            assertThat(scopes.inside(hold)).isTrue();
        }
        assertThat(engine.held().stream().map(held -> scopes.innermost(held.name())).filter(hold -> hold != null))
                .containsExactlyInAnyOrder(holds);
    }

    private static void await(CyclicBarrier step) throws Exception {
        step.await(10, TimeUnit.SECONDS);
    }
}
