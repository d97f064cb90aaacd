package io.quarkiverse.lock.testkit.contract;

import static io.quarkiverse.lock.testkit.KeptOut.assertKeptOut;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.testkit.Fault;

/** One holder at a time, and a handle only for that holder. */
public abstract class OwnershipContract extends ContractTest {

    private static final int LANES = 8;
    private static final Duration STEP = Duration.ofNanos(200_000);

    @Test
    @Rule(1)
    void freeNameIsGrantedAtOnce() {
        Jvm a = jvm();
        try (LockHandle hold = a.lock(name()).acquire()) {
            assertThat(hold.name()).isEqualTo(name());
            assertThat(hold.isValid()).isTrue();
            assertThat(hold.validFor()).isGreaterThan(Duration.ofSeconds(20));
            assertThat(hold.fencingToken()).isPositive();
            assertThat(a.locks().held()).extracting(HeldLock::name).containsExactly(name());
        }
        assertThat(a.locks().held()).isEmpty();
    }

    @Test
    @Rule(1)
    void lockExcludesSameJvmAndSameThread() {
        Jvm a = jvm();
        try (LockHandle hold = a.lock(name()).acquire()) {
            assertThat(a.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
            assertKeptOut(a.lock(name()), Duration.ofMillis(20));
            assertHeld(hold);
        }
        a.lock(name()).tryAcquire(Duration.ZERO).orElseThrow().close();
    }

    @Test
    @Rule({ 1, 3 })
    @Fault(125)
    void fault125_copiedJvmsAreDistinctToTheStore() {
        Jvm a = jvm();
        Jvm b = jvm();
        a.lock(name()).acquire().close();
        CopiedState.copy(a.engine(), b.engine());
        try (LockHandle hold = a.lock(name()).acquire()) {
            assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
            assertHeld(hold);
        }
        CopiedState.copy(a.engine(), b.engine());
        try (LockHandle hold = a.lock(name()).acquire()) {
            assertKeptOut(b.lock(name()), Duration.ofMillis(300));
            assertHeld(hold);
        }
        b.lock(name()).acquire().close();
    }

    @Test
    @Rule(1)
    void lockExcludesOtherJvms() {
        Jvm a = jvm();
        Jvm b = jvm();
        try (LockHandle hold = a.lock(name()).acquire()) {
            assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
            assertKeptOut(b.lock(name()), Duration.ofMillis(50));
            assertHeld(hold);
        }
        b.lock(name()).tryAcquire(Duration.ZERO).orElseThrow().close();
    }

    @Test
    @Rule(1)
    void lockDoesNotExcludeOtherNames() {
        Jvm a = jvm();
        try (LockHandle one = a.lock(name()).acquire();
                LockHandle two = a.lock(name() + "2").tryAcquire(Duration.ZERO).orElseThrow();
                LockHandle three = jvm().lock(name() + "3").tryAcquire(Duration.ZERO).orElseThrow()) {
            assertThat(List.of(one, two, three)).allMatch(LockHandle::isValid);
            assertThat(a.locks().held()).extracting(HeldLock::name).containsExactlyInAnyOrder(name(), name() + "2");
        }
    }

    @Test
    @Rule(1)
    @Needs(Ability.OPERATORS)
    void busyErrorAndInspectNameTheHolder() {
        Jvm a = jvm("the first server", builder -> {
        });
        Jvm b = jvm();
        try (LockHandle hold = a.lock(name()).acquire()) {
            assertThatThrownBy(() -> b.locks().lock(name(), io.quarkiverse.lock.LockOptions.DEFAULTS
                    .withWaitFor(ANSWERED)).acquire())
                    .isInstanceOf(LockBusyException.class)
                    .hasMessageContaining(name()).hasMessageContaining("the first server");
            var info = b.locks().inspect(name()).orElseThrow();
            assertThat(info.holders()).singleElement().satisfies(holder -> {
                assertThat(holder.owner()).isEqualTo("the first server");
                assertThat(holder.fencingToken()).isEqualTo(hold.fencingToken());
                if (abilities().contains(Ability.STORE_LEASES)) {
                    assertThat(holder.remaining()).isBetween(Duration.ofSeconds(15), Duration.ofSeconds(31));
                } else {
                    assertThat(holder.remaining()).as("which the store cannot tell").isZero();
                }
                assertThat(holder.heldFor()).isBetween(Duration.ZERO, SOON);
            });
            assertThat(info.waiters()).isZero();
        }
        assertThat(b.locks().inspect(name())).isEmpty();
    }

    @Test
    @Rule(1)
    @Needs(Ability.OPERATORS)
    void handleIsValidAfterWaiting() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        for (int i = 0; i < times(20, 5); i++) {
            LockHandle hold = a.lock(name(), RENEWED_LEASE).acquire();
            var next = start(() -> b.lock(name(), RENEWED_LEASE).acquire());
            awaitWaiters(a, name(), 1);
            hold.close();
            LockHandle taken = get(next);
            assertThat(taken.isValid()).isTrue();
            assertThat(taken.validFor()).isGreaterThan(RENEWED_LEASE.dividedBy(5));
            taken.close();
        }
    }

    @Test
    @Rule({ 1, 3 })
    @Fault(12)
    @Timeout(value = 480, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void fault12_timeoutRacingGrantHasOneOutcome() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        int each = times(10_000, 200) / LANES;
        var granted = new AtomicInteger();
        inLanes(LANES, lane -> {
            var random = new Random(42 + lane);
            Duration handOver = Duration.ZERO; // approached from both sides: not every store answers within a millisecond
            for (int i = 0; i < each; i++) {
                if (raceTimeout(a, b, name() + lane, handOver, random)) {
                    granted.incrementAndGet();
                    handOver = handOver.isZero() ? handOver : handOver.minus(STEP);
                } else {
                    handOver = handOver.plus(STEP);
                }
            }
        });
        for (int lane = 0; lane < LANES; lane++) {
            assertBecomesFree(a, name() + lane, SOON);
            assertBecomesFree(b, name() + lane, SOON); // a caller that gave up can try again
        }
        assertThat(granted.get()).as("granted of %s, otherwise nothing raced", each * LANES).isPositive();
    }

    /** Waits as long as the lock is held and handed over, give or take a millisecond. Returns whether it was granted. */
    private boolean raceTimeout(Jvm a, Jvm b, String name, Duration handOver, Random random) throws Exception {
        LockHandle hold = a.lock(name).acquire();
        Duration held = Duration.ofMillis(3);
        Duration wait = held.plus(handOver).plusNanos(random.nextInt(2_000_000) - 1_000_000);
        var trying = start(() -> tryAcquire(b, name, wait));
        LockSupport.parkNanos(held.toNanos());
        hold.close();
        var got = get(trying);
        if (got.isPresent()) {
            assertHeld(got.get());
            assertThat(a.lock(name).tryAcquire(Duration.ZERO)).isEmpty();
            got.get().close();
        }
        return got.isPresent();
    }

    private static Optional<LockHandle> tryAcquire(Jvm jvm, String name, Duration wait) {
        try {
            return jvm.lock(name).tryAcquire(wait);
        } catch (LockBackendException e) {
            return Optional.empty(); // no answer in that time: nobody knows whether it was busy
        }
    }

    @Test
    @Rule({ 1, 4 })
    void lockedCounterIsExact() throws Exception {
        int engines = 4;
        int threadsEach = 4;
        int rounds = times(25, 10);
        long[] counter = new long[1];
        List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int e = 0; e < engines; e++) {
            Jvm jvm = jvm();
            for (int t = 0; t < threadsEach; t++) {
                all.add(start(() -> {
                    for (int i = 0; i < rounds; i++) {
                        try (LockHandle hold = jvm.lock(name(), Duration.ofSeconds(60)).acquire()) {
                            long seen = counter[0];
                            Thread.yield();
                            tokens.add(hold.fencingToken());
                            counter[0] = seen + 1;
                        }
                    }
                    return null;
                }));
            }
        }
        for (var one : all) {
            get(one);
        }
        assertThat(counter[0]).isEqualTo((long) engines * threadsEach * rounds);
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }
}
