package io.quarkiverse.lock.testkit.contract;

import static io.quarkiverse.lock.testkit.KeptOut.assertKeptOut;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;

/**
 * At most {@code limit} holders of a name across all JVMs, each independent of the others. For backends with
 * {@link io.quarkiverse.lock.spi.Feature#LIMIT}.
 */
@Needs(features = Feature.LIMIT)
public abstract class LimitContract extends ContractTest {

    @Test
    @Fault(130)
    void fault130_eachHolderIsShownWithItsLimit() {
        Jvm a = jvm();
        Jvm b = jvm();
        try (LockHandle one = a.limited(name(), 3).acquire(); LockHandle two = b.limited(name(), 2).acquire()) {
            assertThat(jvm().locks().inspect(name()).orElseThrow().holders())
                    .allMatch(shown -> shown.mode() == LockMode.EXCLUSIVE)
                    .extracting(LockInfo.Holder::fencingToken, LockInfo.Holder::limit)
                    .containsExactlyInAnyOrder(tuple(one.fencingToken(), 3), tuple(two.fencingToken(), 2));
            assertThat(a.locks().held()).singleElement().matches(held -> held.limit() == 3);
        }
    }

    @Test
    @Rule(8)
    void limitIsReachedButNotExceeded() {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle first = a.limited(name(), 3).acquire();
        LockHandle second = a.limited(name(), 3).tryAcquire(Duration.ZERO).orElseThrow();
        LockHandle third = b.limited(name(), 3).acquire();
        for (Jvm jvm : List.of(a, b, jvm())) {
            assertThat(jvm.limited(name(), 3).tryAcquire(Duration.ZERO)).isEmpty();
            assertKeptOut(jvm.limited(name(), 3), Duration.ofMillis(30));
        }
        awaitWaiters(a, name(), 0); // a caller that gave up is removed from the queue in the background
        second.close();
        LockHandle fourth = b.limited(name(), 3).tryAcquire(Duration.ZERO).orElseThrow();
        assertThat(a.limited(name(), 3).tryAcquire(Duration.ZERO)).isEmpty();
        for (LockHandle holder : List.of(first, third, fourth)) {
            assertHeld(holder);
            holder.close();
        }
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule(8)
    void tryAcquireSucceedsBelowTheLimit() throws Exception {
        Jvm a = jvm();
        var together = new CyclicBarrier(6);
        inLanes(6, lane -> {
            together.await(20, TimeUnit.SECONDS);
            try (LockHandle holder = a.limited(name(), 6).tryAcquire(Duration.ZERO).orElseThrow()) {
                together.await(20, TimeUnit.SECONDS);
                assertHeld(holder);
            }
        });
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule(8)
    void contendingHoldersFillButNeverExceedLimit() throws Exception {
        List<Jvm> jvms = List.of(jvm(), jvm(), jvm());
        LockOptions options = LockOptions.DEFAULTS.withLimit(3).withWaitFor(Duration.ofMinutes(2));
        for (int pass = 0; pass < 3; pass++) {
            var inside = new AtomicInteger();
            var most = new AtomicInteger();
            var full = new CountDownLatch(1);
            inLanes(9, lane -> {
                for (int i = 0; i < times(10, 4); i++) {
                    try (LockHandle holder = jvms.get(lane % 3).locks().lock(name(), options).acquire()) {
                        int now = inside.incrementAndGet();
                        most.accumulateAndGet(now, Math::max);
                        if (now == 3) {
                            full.countDown();
                        }
                        // The first holders stay until the others are in, however long that takes
                        assertThat(full.await(50, TimeUnit.SECONDS)).as("three holders are inside together").isTrue();
                        Thread.sleep(1);
                        assertHeld(holder);
                        inside.decrementAndGet();
                    }
                }
            });
            assertThat(most).hasValue(3);
        }
        assertBecomesFree(jvms.get(0), name(), SOON);
    }

    @Test
    @Rule(8)
    void isFairBetweenJvms() throws Exception {
        Jvm holder = jvm();
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<Void>> all = new ArrayList<>();
        LockHandle stays = holder.limited(name(), 2).acquire();
        LockHandle leaves = holder.limited(name(), 2).acquire();
        for (int i = 0; i < 4; i++) {
            int me = i;
            Jvm waiter = jvm();
            all.add(start(() -> {
                try (LockHandle hold = waiter.limited(name(), 2).acquire()) {
                    order.add(me);
                }
                return null;
            }));
            awaitWaiters(holder, name(), i + 1);
        }
        leaves.close();
        for (var one : all) {
            get(one);
        }
        assertThat(order).containsExactly(0, 1, 2, 3);
        stays.close();
    }

    @Test
    @Rule({ 2, 5, 11 })
    void holdersHaveIndependentLeases() {
        Jvm a = jvm();
        Duration lease = RENEWED_LEASE;
        LockOptions limited = LockOptions.DEFAULTS.withLimit(2).withLease(lease);
        LockHandle renewed = a.locks().lock(name(), limited).acquire();
        LockHandle brief = a.locks().lock(name(), limited.withRenew(false)).acquire();
        var lost = new AtomicInteger();
        renewed.onLost(() -> lost.addAndGet(100));
        brief.onLost(lost::incrementAndGet);
        LockHandle next = jvm().limited(name(), 2).acquire();
        assertThat(brief.isValid()).isFalse();
        assertHeld(renewed);
        Await.during("the other one is kept", lease, renewed::isValid);
        Await.until("the loss is reported", SOON, () -> lost.get() == 1);
        for (LockHandle holder : List.of(renewed, brief, next)) {
            holder.close();
        }
        assertThat(lost).hasValue(1);
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule(5)
    void forcedReleaseLosesAllHolders() {
        Jvm a = watchful();
        Jvm b = watchful();
        List<LockHandle> holders = List.of(a.limited(name(), 3).acquire(), a.limited(name(), 3).acquire(),
                b.limited(name(), 3).acquire());
        var told = new AtomicInteger();
        holders.forEach(holder -> holder.onLost(told::incrementAndGet));
        assertThat(a.locks().forceRelease(name())).isTrue();
        Await.until("all three are notified", SOON, () -> told.get() == 3);
        assertThat(holders).noneMatch(LockHandle::isValid);
        holders.forEach(LockHandle::close);
        assertBecomesFree(b, name(), SOON);
    }

    @Test
    @Rule(4)
    void eachHolderHasItsOwnToken() {
        Jvm a = jvm();
        Jvm b = jvm();
        Set<Long> tokens = new HashSet<>();
        List<LockHandle> holders = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            LockHandle holder = (i % 2 == 0 ? a : b).limited(name(), 6).acquire();
            tokens.add(holder.fencingToken());
            holders.add(holder);
        }
        assertThat(tokens).hasSize(6);
        assertThat(a.locks().held()).extracting(held -> held.fencingToken()).hasSize(3).doesNotHaveDuplicates();
        holders.forEach(LockHandle::close);
        assertThat(a.locks().held()).isEmpty();
    }

    @Test
    @Rule(8)
    void exclusiveAndLimitedHoldersExcludeEachOther() {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle counted = a.limited(name(), 5).acquire();
        for (Jvm jvm : List.of(a, b)) {
            assertThat(jvm.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
            assertKeptOut(jvm.lock(name()), Duration.ofMillis(30));
        }
        counted.close();
        LockHandle alone = b.lock(name()).acquire();
        assertThat(a.limited(name(), 5).tryAcquire(Duration.ZERO)).isEmpty();
        assertKeptOut(b.limited(name(), 5), Duration.ofMillis(30));
        assertHeld(alone);
        alone.close();
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule(8)
    void smallestLimitAmongHoldersApplies() throws Exception {
        Jvm old = jvm();
        Jvm updated = jvm();
        LockHandle first = old.limited(name(), 3).acquire();
        LockHandle second = old.limited(name(), 3).acquire();
        assertThat(updated.limited(name(), 2).tryAcquire(Duration.ZERO)).as("two holders already").isEmpty();
        var waiting = start(() -> updated.limited(name(), 2).acquire());
        awaitWaiters(old, name(), 1);
        assertThat(old.limited(name(), 3).tryAcquire(Duration.ZERO)).as("nobody overtakes the waiter").isEmpty();
        first.close();
        LockHandle third = get(waiting);
        assertThat(old.limited(name(), 3).tryAcquire(Duration.ZERO)).as("one of the holders has a limit of two").isEmpty();
        third.close();
        LockHandle fourth = old.limited(name(), 3).acquire();
        LockHandle fifth = old.limited(name(), 3).tryAcquire(Duration.ZERO).orElseThrow();
        for (LockHandle holder : List.of(second, fourth, fifth)) {
            assertHeld(holder);
            holder.close();
        }
        assertBecomesFree(updated, name(), SOON);
    }

    @Test
    @Rule({ 8, 9 })
    void waiterThatGivesUpUnblocksTheQueue() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle holder = a.limited(name(), 2).acquire();
        for (Jvm jvm : List.of(a, b)) {
            var alone = start(() -> jvm.lock(name()).tryAcquire(Duration.ofSeconds(4)));
            awaitWaiters(a, name(), 1);
            var behind = start(() -> a.limited(name(), 2).acquire());
            assertThat(get(alone)).isEmpty();
            get(behind).close();
        }
        assertHeld(holder);
        holder.close();
        assertBecomesFree(b, name(), SOON);
    }

    @Test
    @Rule(7)
    void nestedAcquireReentersUnlessExclusive() throws Exception {
        Jvm a = jvm();
        a.limited(name(), 1).call(() -> {
            try (LockHandle nested = a.limited(name(), 1).acquire()) {
                assertHeld(nested);
            }
            assertThatThrownBy(() -> a.lock(name()).acquire()).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("limit of 1");
            assertThat(jvm().limited(name(), 1).tryAcquire(Duration.ZERO)).isEmpty();
            return null;
        });
        a.lock(name()).call(() -> a.limited(name(), 2).call(() -> {
            assertThat(a.locks().held()).hasSize(1);
            return null;
        }));
        assertBecomesFree(a, name(), SOON);
    }
}
