package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Renewal;
import io.smallrye.mutiny.Uni;

/** A name stays taken for its {@code holdAtLeast} time, even if the holder loses the lock before it ends. */
class HoldAtLeastAfterLossTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration AT_LEAST = Duration.ofMinutes(55);
    private static final Duration LONGEST = Duration.ofMinutes(10);
    private static final LockOptions HOURLY = LockOptions.DEFAULTS.withLease(LEASE).withHoldAtLeast(AT_LEAST);

    private final VirtualTime time = new VirtualTime();
    private final LocalStore store = new LocalStore(time);
    private final ReadClock clock = new ReadClock(time);
    private boolean silent;
    private Grant grant;
    private BackendListener listener;
    private final LockEngine here = engine(watched(new LocalBackend(store, "here")), clock);
    private final LockEngine there = engine(new LocalBackend(store, "there"), time);
    private final LockManager locks = here.manager(ManagerDefaults.STANDARD);
    private final LockManager elsewhere = there.manager(ManagerDefaults.STANDARD);

    private static LockEngine engine(LockBackend backend, LockTime time) {
        return LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run)).start();
    }

    /** While {@link #silent}, no request is executed. */
    private LockBackend watched(LocalBackend backend) {
        return (LockBackend) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { LockBackend.class },
                (proxy, method, args) -> {
                    switch (method.getName()) {
                        case "start" -> listener = (BackendListener) args[0];
                        case "renew" -> {
                            @SuppressWarnings("unchecked")
                            var grants = (List<? extends Grant>) args[0];
                            grant = grants.get(0);
                            if (silent) {
                                return Uni.createFrom().item(new Renewal(List.of(), List.of(), grants));
                            }
                        }
                        case "release", "releaseAfter" -> {
                            if (silent) {
                                return Uni.createFrom().failure(new IllegalStateException("silent"));
                            }
                        }
                        default -> {
                        }
                    }
                    try {
                        return method.invoke(backend, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
    }

    @Test
    void fault550_releaseAfterMaxHoldKeepsNameTaken() {
        LockHandle hold = locks.lock("a", HOURLY.withMaxHold(LONGEST)).acquire();
        time.advance(LONGEST.plus(LEASE));
        assertLost(hold);
        hold.close();
        assertTakenUntilTheTimeIsOver();
    }

    @Test
    void fault550_changedHoldAtLeastKeepsNameTaken() {
        LockHandle hold = locks.lock("a", LockOptions.DEFAULTS.withLease(LEASE).withMaxHold(LONGEST)).acquire();
        hold.changeHoldAtLeast(AT_LEAST);
        time.advance(LONGEST.plus(LEASE));
        assertLost(hold);
        hold.close();
        assertTakenUntilTheTimeIsOver();
    }

    /** Each attempt requests the time left by then. */
    @Test
    void fault550_delayedReleaseKeepsNameTaken() {
        LockHandle hold = locks.lock("a", HOURLY.withMaxHold(LONGEST)).acquire();
        time.advance(LONGEST.plus(LEASE));
        silent = true;
        hold.close();
        time.advance(Duration.ofMinutes(20));
        silent = false;
        time.advance(LEASE);
        assertThat(elsewhere.inspect("a").orElseThrow().holders()).singleElement()
                .satisfies(holder -> assertThat(holder.owner()).startsWith("finished, kept by "));
        assertTakenUntilTheTimeIsOver();
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2 })
    void fault550_lossDuringReleaseKeepsNameTaken(int reading) {
        LockHandle hold = locks.lock("a", HOURLY).acquire();
        time.advance(LEASE);
        clock.atReading(reading, () -> listener.lost(grant, "for this test"));
        hold.close();
        assertThat(clock.reached()).as("lost during the release").isTrue();
        assertThat(hold.lost().toCompletableFuture().isDone()).as("lost before it was sent").isEqualTo(reading == 1);
        assertTakenUntilTheTimeIsOver();
    }

    @Test
    void fault550_lossBeforeDeliveryFreesTheName() {
        LockHandle other = elsewhere.lock("b").acquire();
        var wanted = locks.all(HOURLY, "a", "b").acquireAsync().subscribe().with(LockHandle::close);
        here.recheck();
        time.advance(Duration.ofSeconds(1));
        assertThat(grant.name()).isEqualTo("a");
        listener.lost(grant, "for this test");
        wanted.cancel();
        assertThat(elsewhere.inspect("a")).isEmpty();
        other.close();
    }

    private static void assertLost(LockHandle hold) {
        assertThat(hold.lost().toCompletableFuture()).isDone();
    }

    private void assertTakenUntilTheTimeIsOver() {
        assertThat(elsewhere.lock("a").tryAcquire(Duration.ZERO)).as("after its holder has ended").isEmpty();
        time.advance(AT_LEAST.minusSeconds(1).minusNanos(time.nanoTime()));
        assertThat(elsewhere.lock("a").tryAcquire(Duration.ZERO)).as("before the time is over").isEmpty();
        time.advance(Duration.ofSeconds(2));
        assertThat(elsewhere.lock("a").tryAcquire(Duration.ZERO)).as("after it").isPresent()
                .hasValueSatisfying(LockHandle::close);
    }
}
