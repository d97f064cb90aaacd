package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.smallrye.mutiny.Uni;

/** A hold lives exactly as long as its holder wants. */
public abstract class RenewalContract extends ContractTest {

    private static final Duration LEASE = RENEWED_LEASE;

    @Test
    @Rule(11)
    void holdsAreRenewedBeyondTheirLease() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        List<LockHandle> holds = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            holds.add(a.lock(name() + i, LEASE).acquire());
        }
        Await.during("all are valid", LEASE.multipliedBy(2), () -> holds.stream().allMatch(LockHandle::isValid));
        assertThat(b.lock(name() + 7).tryAcquire(Duration.ZERO)).isEmpty();
        holds.forEach(LockHandle::close);
    }

    @Test
    @Rule(11)
    @Fault(14)
    void fault14_failedRenewalIsRetriedInTime() {
        FaultyBackend faulty = faulty();
        Jvm a = jvmOver(faulty);
        try (LockHandle hold = a.lock(name(), LEASE).acquire()) {
            for (int i = 1; i <= 3; i++) {
                int before = faulty.renewals();
                faulty.failRenewals(2);
                long expected = i;
                Await.until("suspected for the time " + i, SOON, () -> a.count(Kind.SUSPECT) >= expected);
                assertHeld(hold);
                // Once the lease has expired, there is nothing left to renew
                Await.until("renewed after both failures", SOON, () -> faulty.renewals() >= before + 3);
                Await.until("confirmed again", SOON, () -> hold.validFor().compareTo(LEASE.dividedBy(10).multipliedBy(8)) > 0);
            }
            assertThat(a.count(Kind.LOST)).isZero();
            assertThat(jvm().lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    @Rule(11)
    @Fault(18)
    void fault18_throwingRenewalDoesNotStopRenewals() {
        FaultyBackend faulty = faulty();
        Jvm a = jvmOver(faulty);
        try (LockHandle hold = a.lock(name(), LEASE).acquire()) {
            var renewals = new ArrayList<Integer>();
            Await.during("valid although renewals throw", LEASE.multipliedBy(2), () -> {
                if (renewals.isEmpty() || renewals.get(renewals.size() - 1) != faulty.renewals()) {
                    renewals.add(faulty.renewals());
                    if (renewals.size() % 2 == 1) {
                        faulty.throwOnRenewals(1);
                    }
                }
                return hold.isValid();
            });
            assertThat(renewals).hasSizeGreaterThan(4);
        }
    }

    @Test
    @Rule({ 2, 11 })
    @Fault(18)
    void fault18_unrenewableHoldIsLostAtItsDeadline() {
        FaultyBackend faulty = faulty();
        Jvm a = jvmOver(faulty);
        var succession = new Succession(a, jvm(), name(), LEASE);
        faulty.throwOnRenewals(1_000_000);
        Await.until("it has a successor", LEASE.plus(SOON), () -> {
            succession.sample();
            return succession.isDone();
        });
        succession.check();
        assertThat(succession.first().lost().toCompletableFuture()).succeedsWithin(SOON);
        assertThat(a.count(Kind.RETRIED)).isGreaterThan(1);
        faulty.throwOnRenewals(0);
        succession.first().close();
        assertHeld(succession.next());
        succession.next().close();
    }

    @Test
    @Rule(11)
    @Fault(17)
    void fault17_busyThreadsDoNotDelayRenewals() throws Exception {
        List<Executor> loops = new ArrayList<>(environment().eventLoops());
        if (loops.isEmpty()) {
            loops.add(closingLater(Executors.newSingleThreadExecutor()));
        }
        var workers = closingLater(Executors.newFixedThreadPool(2));
        Jvm a = jvm("busy", builder -> builder.threads(callers(loops.get(0), workers)));
        // From an event loop, like an endpoint: the client may create what it needs on that thread
        LockHandle hold = get(Uni.createFrom().voidItem().emitOn(loops.get(0))
                .chain(() -> a.lock(name(), LEASE).acquireAsync()).subscribeAsCompletionStage());
        var blocked = new CountDownLatch(loops.size() + 2);
        var end = new CountDownLatch(1);
        closeLater(end::countDown);
        Runnable block = () -> {
            blocked.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        loops.forEach(loop -> loop.execute(block));
        for (int i = 0; i < 64; i++) {
            workers.execute(block);
            ForkJoinPool.commonPool().execute(block);
        }
        assertThat(blocked.await(15, TimeUnit.SECONDS)).isTrue();
        Await.during("valid", LEASE.multipliedBy(2), hold::isValid);
        assertThat(jvm().lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        end.countDown();
        hold.close();
        assertThat(a.count(Kind.LOST)).isZero();
    }

    /**
     * Waiters fill the pool that notifies their holder. Otherwise it would learn of its loss only after all of them
     * had the lock.
     */
    @Test
    @Rule({ 5, 11 })
    @Fault({ 17, 122 })
    void fault122_busyThreadsDoNotDelayLossNotification() throws Exception {
        var workers = closingLater(Executors.newFixedThreadPool(2));
        Jvm a = busy(workers);
        var told = new CountDownLatch(1);
        LockHandle hold = a.lock(name(), LEASE).acquire();
        hold.onLost(told::countDown);
        var runs = new CountDownLatch(1);
        var cancelled = new CountDownLatch(1);
        var failed = a.lock(name() + "-reactive", LEASE).callAsync(() -> {
            runs.countDown();
            return Uni.createFrom().nothing().onCancellation().invoke(cancelled::countDown);
        }).subscribeAsCompletionStage();
        assertThat(runs.await(15, TimeUnit.SECONDS)).isTrue();
        CountDownLatch end = blockAll(workers);
        jvm().locks().forceRelease(name());
        jvm().locks().forceRelease(name() + "-reactive");
        assertThat(told.await(15, TimeUnit.SECONDS)).as("the callback has run").isTrue();
        assertThat(cancelled.await(15, TimeUnit.SECONDS)).as("the reactive body has been stopped").isTrue();
        end.countDown();
        assertThatThrownBy(() -> get(failed)).isInstanceOf(LockLostException.class);
        hold.close();
    }

    @Test
    @Rule({ 5, 11 })
    @Fault({ 17, 122 })
    void fault122_busyThreadsDoNotDelayInterrupt() throws Exception {
        var workers = closingLater(Executors.newFixedThreadPool(2));
        Jvm a = busy(workers);
        blockAll(workers);
        var begun = new CountDownLatch(1);
        var outcome = start(() -> a.lock(name(), LEASE).call(() -> {
            begun.countDown();
            return new CountDownLatch(1).await(30, TimeUnit.SECONDS);
        }));
        assertThat(begun.await(15, TimeUnit.SECONDS)).isTrue();
        jvm().locks().forceRelease(name());
        assertThatThrownBy(() -> get(outcome)).isInstanceOf(LockLostException.class)
                .hasSuppressedException(new InterruptedException());
    }

    /** A loss interrupts the bodies of this JVM. */
    private Jvm busy(Executor workers) {
        var defaults = new ManagerDefaults("busy", Duration.ofSeconds(10), LEASE, true, null, OnLost.INTERRUPT);
        return jvm("busy", builder -> builder.threads(callers(workers, workers)), defaults);
    }

    /** Blocks all threads. */
    private CountDownLatch blockAll(Executor workers) throws InterruptedException {
        var blocked = new CountDownLatch(2);
        var end = new CountDownLatch(1);
        closeLater(end::countDown);
        for (int i = 0; i < 64; i++) {
            workers.execute(() -> {
                blocked.countDown();
                try {
                    end.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        assertThat(blocked.await(15, TimeUnit.SECONDS)).isTrue();
        return end;
    }

    private ExecutorService closingLater(ExecutorService pool) {
        closeLater(pool::shutdownNow);
        return pool;
    }

    private static CallerThreads callers(Executor here, Executor workers) {
        return new CallerThreads() {
            @Override
            public boolean blockingForbidden() {
                return false;
            }

            @Override
            public Executor here() {
                return here;
            }

            @Override
            public Executor workers() {
                return workers;
            }
        };
    }

    @Test
    @Rule(11)
    void releasedHoldIsNotRenewed() {
        FaultyBackend faulty = faulty();
        Jvm a = jvmOver(faulty);
        LockHandle hold = a.lock(name(), LEASE).acquire();
        Await.until("renewed once", SOON, () -> faulty.renewals() > 0);
        hold.close();
        int renewals = faulty.renewals();
        Await.during("not renewed", LEASE, () -> faulty.renewals() == renewals);
    }

    @Test
    @Rule(11)
    void maxHoldStopsRenewals() {
        Jvm a = jvm();
        Duration maxHold = LEASE.plusSeconds(1);
        long before = System.nanoTime();
        LockHandle hold = a.locks().lock(name(), LockOptions.DEFAULTS.withLease(LEASE).withMaxHold(maxHold)).acquire();
        assertThat(hold.lost().toCompletableFuture()).succeedsWithin(SOON);
        assertThat(Duration.ofNanos(System.nanoTime() - before)).as("renewed until max-hold").isGreaterThan(maxHold);
        assertThat(hold.lost().toCompletableFuture().join()).hasMessageContaining("max-hold");
        hold.close();
        assertBecomesFree(jvm(), name(), SOON);
    }

    @Test
    @Rule(11)
    void leaseEndsWithoutRenewal() {
        FaultyBackend faulty = faulty();
        Jvm a = jvmOver(faulty);
        LockHandle hold = a.lockWithoutRenewal(name(), SHORT_LEASE).acquire();
        assertThat(hold.lost().toCompletableFuture()).succeedsWithin(SOON);
        hold.close();
        assertBecomesFree(jvm(), name(), SOON);
    }
}
