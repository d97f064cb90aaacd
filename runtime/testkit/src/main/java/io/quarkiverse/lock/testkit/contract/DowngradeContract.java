package io.quarkiverse.lock.testkit.contract;

import static io.quarkiverse.lock.testkit.KeptOut.assertKeptOut;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReadWriteLock;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;

/**
 * An exclusive holder may let readers in, and still keeps writers out. For backends with
 * {@link io.quarkiverse.lock.spi.Feature#DOWNGRADE}.
 */
@Needs(features = { Feature.SHARED, Feature.DOWNGRADE })
public abstract class DowngradeContract extends ContractTest {

    private static final Duration LEASE = RENEWED_LEASE;

    @Test
    @Rule({ 1, 4 })
    @Fault(130)
    void fault130_downgradeAdmitsRemoteReadersButNoWriters() throws Exception {
        Jvm a = jvm();
        LockHandle hold = a.lock(name()).acquire();
        long token = hold.fencingToken();
        Jvm b = jvm();
        var reader = start(() -> b.shared(name()).acquire());
        awaitWaiters(a, name(), 1);
        hold.downgrade();
        LockHandle read = get(reader);
        assertHeld(hold);
        assertHeld(read);
        assertThat(hold.fencingToken()).isEqualTo(token);
        assertThat(read.fencingToken()).isGreaterThanOrEqualTo(token);
        var writer = start(() -> jvm().lock(name()).acquire());
        awaitWaiters(a, name(), 1);
        assertThat(a.lock(name()).tryAcquire(Duration.ZERO)).as("another writer").isEmpty();
        read.close();
        assertKeptOut(b.lock(name()), Duration.ofMillis(100), "one still reads");
        assertThat(writer).isNotDone();
        assertHeld(hold);
        hold.close();
        LockHandle written = get(writer);
        assertThat(written.fencingToken()).isGreaterThan(token).isGreaterThan(read.fencingToken());
        written.close();
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule(8)
    @Fault(130)
    void fault130_downgradedHolderMayReleaseFirst() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle hold = a.lock(name()).acquire();
        hold.downgradeAsync().await().atMost(SOON);
        LockHandle there = b.shared(name()).acquire();
        LockHandle here = a.shared(name()).acquire();
        hold.close();
        assertThat(hold.isValid()).isFalse();
        assertThat(jvm().lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        assertHeld(here);
        assertHeld(there);
        here.close();
        assertThat(jvm().lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        there.close();
        assertBecomesFree(b, name(), SOON);
    }

    @Test
    @Rule(8)
    @Fault(130)
    void fault130_downgradeAdmitsReadersOfSameJvm() throws Exception {
        Jvm a = jvm();
        LockHandle hold = a.lock(name()).acquire();
        var inside = new CyclicBarrier(4);
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            readers.add(start(() -> {
                try (LockHandle reader = a.shared(name()).acquire()) {
                    inside.await(20, TimeUnit.SECONDS);
                    assertHeld(reader);
                }
                return null;
            }));
        }
        awaitRequests(a, 5);
        hold.downgrade();
        for (var reader : readers) {
            get(reader);
        }
        assertHeld(hold);
        hold.close();
        assertBecomesFree(jvm(), name(), SOON);
    }

    @Test
    @Rule(8)
    @Fault(130)
    void fault130_readersStayBehindEarlierWriter() throws Exception {
        Jvm a = jvm();
        LockHandle hold = a.lock(name()).acquire();
        var writer = start(() -> jvm().lock(name()).acquire());
        awaitWaiters(a, name(), 1);
        var elsewhere = start(() -> jvm().shared(name()).acquire());
        awaitWaiters(a, name(), 2);
        var here = start(() -> a.shared(name()).acquire());
        awaitRequests(a, 2);
        hold.downgrade();
        awaitWaiters(a, name(), 3); // by now this JVM queues for its reader
        assertThat(jvm().shared(name()).tryAcquire(Duration.ZERO)).isEmpty();
        assertThat(List.of(writer, elsewhere, here)).noneMatch(CompletableFuture::isDone);
        hold.close();
        LockHandle written = get(writer);
        assertThat(List.of(elsewhere, here)).noneMatch(CompletableFuture::isDone);
        written.close();
        get(elsewhere).close();
        get(here).close();
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule(1)
    @Fault(130)
    void fault130_handedOffLockCanBeDowngraded() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle before = jvm().lock(name()).acquire();
        var next = start(() -> {
            LockHandle hold = a.lock(name()).acquire();
            hold.downgrade();
            return hold;
        });
        awaitWaiters(b, name(), 1);
        var reader = start(() -> b.shared(name()).acquire());
        awaitWaiters(b, name(), 2);
        before.close();
        LockHandle hold = get(next);
        LockHandle read = get(reader);
        Await.during("both are kept", LEASE.plusSeconds(1), () -> hold.isValid() && read.isValid());
        hold.close();
        read.close();
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Fault(130)
    void fault130_downgradedHoldIsShownAndRenewedAsReader() {
        Jvm a = jvm();
        LockHandle hold = a.lock(name(), LEASE).acquire();
        hold.downgrade();
        assertThat(jvm().locks().inspect(name()).orElseThrow().holders()).singleElement()
                .returns(LockMode.SHARED, LockInfo.Holder::mode)
                .returns(hold.fencingToken(), LockInfo.Holder::fencingToken);
        assertThat(a.locks().held()).singleElement().matches(held -> held.mode() == LockMode.SHARED);
        Await.during("it is kept", LEASE.multipliedBy(2), hold::isValid);
        try (LockHandle reader = jvm().shared(name()).tryAcquire(Duration.ZERO).orElseThrow()) {
            assertHeld(reader);
            hold.extend(Duration.ofSeconds(20));
            assertThat(hold.validFor()).isGreaterThan(Duration.ofSeconds(10));
            hold.changeLease(LEASE);
            assertThat(jvm().lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        }
        hold.close();
        assertThat(a.count(Kind.LOST)).isZero();
        assertBecomesFree(jvm(), name(), SOON);
    }

    @Test
    @Fault(130)
    void fault130_onlyExclusiveHoldCanBeDowngraded() throws Exception {
        Jvm a = jvm();
        try (LockHandle reader = a.shared(name()).acquire()) {
            assertRefused(reader, "shared");
            assertHeld(reader);
        }
        try (LockHandle limited = a.limited(name() + "-limited", 2).acquire()) {
            assertRefused(limited, "limit");
        }
        a.lock(name() + "-nested").call(() -> {
            try (LockHandle nested = a.lock(name() + "-nested").acquire()) {
                assertRefused(nested, "around");
            }
            assertThat(jvm().shared(name() + "-nested").tryAcquire(Duration.ZERO)).isEmpty();
            return null;
        });
        LockHandle hold = a.lock(name()).acquire();
        hold.downgrade();
        assertRefused(hold, "shared");
        hold.close();
        assertThatThrownBy(hold::downgrade).isInstanceOf(LockLostException.class);
        assertBecomesFree(jvm(), name(), SOON);
    }

    private static void assertRefused(LockHandle hold, String why) {
        assertThatThrownBy(hold::downgrade).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(hold.name()).hasMessageContaining("downgraded").hasMessageContaining(why);
    }

    @Test
    @Rule(5)
    @Fault(130)
    void fault130_downgradeOfLostHoldFails() {
        Jvm a = jvm();
        LockHandle hold = a.lock(name()).acquire();
        jvm().locks().forceRelease(name());
        assertThatThrownBy(hold::downgrade).isInstanceOf(LockLostException.class).hasMessageContaining(name());
        assertThat(hold.isValid()).isFalse();
        assertThat(hold.lost().toCompletableFuture()).succeedsWithin(SOON);
        assertThat(a.count(Kind.LOST)).isEqualTo(1);
        hold.close();
        assertBecomesFree(jvm(), name(), SOON);
    }

    @Test
    @Rule(5)
    @Fault(130)
    void fault130_forcedReleaseEndsDowngradedHoldAndReaders() {
        Jvm a = watchful();
        Jvm b = jvm();
        LockHandle hold = a.lock(name()).acquire();
        hold.downgrade();
        LockHandle here = a.shared(name()).acquire();
        assertThat(b.locks().forceRelease(name())).isTrue();
        assertThat(hold.lost().toCompletableFuture()).succeedsWithin(SOON);
        assertThat(here.lost().toCompletableFuture()).succeedsWithin(SOON);
        try (LockHandle writer = b.lock(name()).acquire()) {
            assertThat(writer.fencingToken()).isGreaterThan(hold.fencingToken());
            hold.close();
            here.close();
            assertHeld(writer);
        }
        assertBecomesFree(b, name(), SOON);
    }

    @Test
    @Rule(2)
    @Fault(130)
    void fault130_unansweredDowngradeKeepsHoldAndIsRetried() throws Exception {
        FaultyBackend faulty = faulty();
        Jvm a = jvmOver(faulty);
        Jvm b = jvm();
        LockHandle hold = a.lock(name()).acquire();
        var reader = start(() -> b.shared(name()).acquire());
        awaitWaiters(b, name(), 1);
        faulty.cut();
        assertThatThrownBy(hold::downgrade).isInstanceOf(LockBackendException.class);
        assertHeld(hold);
        assertThat(a.locks().held()).singleElement().matches(held -> held.mode() == LockMode.SHARED);
        assertThat(reader).isNotDone();
        faulty.heal();
        LockHandle read = get(reader);
        assertHeld(hold);
        assertThat(jvm().lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        hold.close();
        read.close();
        assertBecomesFree(b, name(), SOON);
    }

    @Test
    @Rule({ 2, 3 })
    @Needs(Ability.NETWORK)
    @Fault(130)
    void fault130_lostDowngradeReplyKeepsHoldAndAdmitsNoWriter() throws Exception {
        Link.Linked linked = environment().linked("linked");
        Jvm a = jvmOver(linked.backend());
        Jvm b = jvm();
        LockHandle hold = a.lock(name(), LEASE.multipliedBy(4)).acquire();
        linked.link().loseReplyTo(name());
        Throwable failure = catchThrowable(hold::downgrade);
        if (failure != null) {
            assertThat(failure).isInstanceOf(LockBackendException.class);
        }
        assertHeld(hold);
        assertThat(a.locks().held()).singleElement().matches(held -> held.mode() == LockMode.SHARED);
        linked.link().heal();
        LockHandle read = b.shared(name()).acquire();
        assertThat(jvm().lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        Await.during("it is renewed", LEASE.multipliedBy(5), () -> hold.isValid() && read.isValid());
        hold.close();
        read.close();
        assertThat(a.count(Kind.LOST)).isZero();
        assertBecomesFree(b, name(), SOON);
    }

    @Test
    @Rule(9)
    @Fault(130)
    void fault130_releaseRightAfterDowngradeLeavesNothing() {
        Jvm a = jvm();
        for (int i = 0; i < times(20, 5); i++) {
            LockHandle hold = a.lock(name()).acquire();
            hold.downgradeAsync().subscribe().with(done -> {
            }, gone -> {
            });
            hold.close();
        }
        assertBecomesFree(jvm(), name(), SOON);
        assertThat(a.locks().held()).isEmpty();
        assertThat(environment().leftovers()).isEmpty();
    }

    @Test
    @Fault(130)
    void fault130_severalNamesAreDowngradedTogether() throws Exception {
        Jvm a = jvm();
        String other = name() + "-other";
        try (LockHandle both = a.locks().all(name(), other).acquire()) {
            both.downgrade();
            for (String each : List.of(name(), other)) {
                jvm().shared(each).acquire().close();
                assertThat(jvm().lock(each).tryAcquire(Duration.ZERO)).isEmpty();
            }
            assertHeld(both);
        }
        assertBecomesFree(jvm(), name(), SOON);
        assertBecomesFree(jvm(), other, SOON);
    }

    @Test
    @Rule(8)
    @Fault(130)
    void fault130_downgradeAdmitsNoWriterInBetween() throws Exception {
        Jvm[] jvms = { jvm(), jvm(), jvm() };
        int[] written = new int[1]; // guarded by the lock
        var readers = new AtomicInteger();
        int each = times(30, 5);
        inLanes(3, lane -> {
            for (int i = 0; i < each; i++) {
                try (LockHandle hold = jvms[lane].lock(name(), Duration.ofSeconds(30)).acquire()) {
                    assertThat(readers).hasValue(0);
                    int mine = ++written[0];
                    hold.downgrade();
                    readers.incrementAndGet();
                    Thread.yield();
                    assertThat(written[0]).isEqualTo(mine);
                    readers.decrementAndGet();
                }
                try (LockHandle reader = jvms[lane].locks().lock(name(), LockOptions.DEFAULTS.withMode(LockMode.SHARED)
                        .withWaitFor(Duration.ofSeconds(20))).acquire()) {
                    readers.incrementAndGet();
                    int seen = written[0];
                    Thread.yield();
                    assertThat(written[0]).isEqualTo(seen);
                    readers.decrementAndGet();
                }
            }
        });
        assertThat(written[0]).isEqualTo(3 * each);
    }

    @Test
    @Fault(130)
    void fault130_unlockingWriteLockKeepsReadLockShared() throws Exception {
        Jvm a = jvm();
        ReadWriteLock lock = a.lock(name()).asReadWriteLock();
        var elsewhere = jvm().lock(name()).asReadWriteLock();
        lock.writeLock().lock();
        lock.writeLock().lock();
        lock.readLock().lock();
        lock.writeLock().unlock();
        assertThat(elsewhere.readLock().tryLock()).as("it still writes").isFalse();
        lock.writeLock().unlock();
        assertThat(elsewhere.readLock().tryLock(15, TimeUnit.SECONDS)).isTrue();
        assertThat(get(start(() -> elsewhere.writeLock().tryLock()))).isFalse();
        assertThatThrownBy(lock.writeLock()::lock).isInstanceOf(IllegalStateException.class).hasMessageContaining(name());
        assertThatThrownBy(lock.writeLock()::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(lock.readLock().tryLock()).as("a reentrant read lock").isTrue();
        elsewhere.readLock().unlock();
        assertThat(elsewhere.writeLock().tryLock()).as("it still reads").isFalse();
        lock.readLock().unlock();
        lock.readLock().unlock();
        assertThat(elsewhere.writeLock().tryLock(15, TimeUnit.SECONDS)).isTrue();
        elsewhere.writeLock().unlock();
        assertBecomesFree(jvm(), name(), SOON);
    }

    @Test
    @Fault(130)
    void fault130_nestedWriteLockDoesNotDowngradeTheCall() throws Exception {
        Jvm a = jvm();
        a.lock(name()).call(() -> {
            ReadWriteLock lock = a.lock(name()).asReadWriteLock();
            lock.writeLock().lock();
            lock.readLock().lock();
            lock.writeLock().unlock();
            assertThat(jvm().shared(name()).tryAcquire(Duration.ZERO)).isEmpty();
            lock.readLock().unlock();
            return null;
        });
        assertBecomesFree(jvm(), name(), SOON);
    }
}
