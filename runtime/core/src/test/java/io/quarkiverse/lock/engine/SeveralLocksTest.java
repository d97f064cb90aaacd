package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.Holds;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import io.smallrye.mutiny.subscription.Cancellable;

/** Waiting for several names, in virtual time. */
class SeveralLocksTest {

    private static final LockOptions SHARED = LockOptions.DEFAULTS.withMode(LockMode.SHARED);

    private final VirtualTime time = new VirtualTime();
    private final LocalStore store = new LocalStore(time);
    private final LockEngine one = engine();
    private final LockEngine two = engine();
    private final LockManager locks = one.manager(ManagerDefaults.STANDARD);
    private final LockManager elsewhere = two.manager(ManagerDefaults.STANDARD);

    private LockEngine engine() {
        return LockEngine.builder(new LocalBackend(store, "test")).time(time).threads(CallerThreads.plain(Runnable::run))
                .start();
    }

    @AfterEach
    void close() {
        one.close();
        two.close();
    }

    @Test
    void waitLimitCoversAllNames() {
        LockHandle a = elsewhere.lock("a").acquire();
        LockHandle b = elsewhere.lock("b").acquire();
        var waiting = subscribe(locks.all("a", "b").acquireAsync()); // for 10 s
        time.advance(Duration.ofSeconds(6));
        a.close();
        time.advance(Duration.ofSeconds(3));
        assertThat(locks.held()).hasSize(1);
        time.advance(Duration.ofSeconds(2));
        waiting.assertFailedWith(LockBusyException.class, "'b'");
        assertThat(locks.held()).isEmpty();
        assertThat(elsewhere.lock("a").tryAcquire(Duration.ZERO)).isPresent();
        b.close();
    }

    @Test
    void readersShareSeveralNames() {
        LockHandle one = locks.all(SHARED, "a", "b").acquire();
        LockHandle two = elsewhere.all(SHARED, "b", "a").tryAcquire(Duration.ZERO).orElseThrow();
        assertThat(elsewhere.all("a", "c").tryAcquire(Duration.ZERO)).as("a writer").isEmpty();
        one.close();
        two.close();
        assertThat(elsewhere.all("a", "b").tryAcquire(Duration.ZERO)).isPresent();
    }

    @Test
    void readerOfOneNameCannotTakeAllExclusively() throws Exception {
        locks.lock("b", SHARED).call(() -> {
            assertThatThrownBy(() -> locks.all("a", "b").acquire()).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("'b' is already held SHARED here");
            assertThatThrownBy(() -> locks.all("a", "b").call(() -> "")).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("'b' is already held SHARED here");
            locks.all(SHARED, "a", "b").acquire().close();
            return null;
        });
        assertThat(locks.held()).isEmpty();
        var pipeline = subscribe(locks.lock("b", SHARED).callAsync(() -> locks.all("a", "b").acquireAsync()));
        pipeline.assertFailedWith(IllegalStateException.class, "'b' is already held SHARED here");
        assertThat(locks.held()).as("the first name had already been granted").isEmpty();
    }

    @Test
    void readingThreadCannotTakeTheWriteLock() {
        Lock reading = locks.lock("a", SHARED).asJavaLock();
        Lock writing = locks.lock("a").asJavaLock();
        reading.lock();
        assertThatThrownBy(writing::lock).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'a' is already held SHARED here");
        assertThatThrownBy(writing::tryLock).isInstanceOf(IllegalStateException.class);
        assertThat(reading.tryLock()).isTrue();
        reading.unlock();
        reading.unlock();
        writing.lock();
        assertThat(reading.tryLock()).as("a writer may read").isTrue();
        writing.unlock();
        reading.unlock();
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void severalNamesDifferFromOneNameWithComma() {
        Lock both = locks.all("a", "b").asJavaLock();
        Lock one = locks.lock("a, b").asJavaLock();
        both.lock();
        one.lock();
        assertThat(elsewhere.lock("a, b").tryAcquire(Duration.ZERO)).isEmpty();
        both.unlock();
        assertThat(elsewhere.all("a", "b").tryAcquire(Duration.ZERO)).isPresent().hasValueSatisfying(LockHandle::close);
        assertThat(elsewhere.lock("a, b").tryAcquire(Duration.ZERO)).isEmpty();
        one.unlock();
        assertThat(locks.held()).isEmpty();
        var sides = locks.all("b", "a").asReadWriteLock();
        sides.writeLock().lock();
        assertThat(sides.readLock().tryLock()).isTrue();
        assertThat(both.tryLock()).as("another view of the same").isTrue();
        both.unlock();
        sides.readLock().unlock();
        sides.writeLock().unlock();
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void lostNameOfSeveralIsReported() {
        HoldSettings settings = ManagerDefaults.STANDARD.with(LockOptions.DEFAULTS);
        Holds holds = new Holds(2);
        LockHold a = one.acquire().tryAcquire("a", settings);
        LockHold b = one.acquire().tryAcquire("b", settings);
        holds.add(a);
        holds.add(b);
        assertThat(one.validity().lossForGood(holds, false)).isNull();
        locks.forceRelease("b");
        assertThat(one.validity().lossForGood(holds, false)).as("the one that is lost").isInstanceOf(LockLostException.class)
                .hasMessageContaining("'b'");
        one.release().giveBack(holds);
    }

    @Test
    void nestedCallSucceedsAfterABriefDoubt() {
        var inside = subscribe(locks.all("a", "b").callAsync(() -> {
            time.shiftWallClock(Duration.ofSeconds(20));
            return locks.all("a", "b").callAsync(() -> Uni.createFrom().item("done"));
        }));
        assertThat(inside.getItem()).isEqualTo("done");
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void cancellationDoesNotReleaseAHandleTwice() {
        var later = new CompletableFuture<Void>();
        for (DistributedLock lock : List.of(locks.lock("a"), locks.all("a", "b"))) {
            var around = subscribe(lock.callAsync(() -> Uni.createFrom().context(inside -> {
                Cancellable nested = lock.acquireAsync().chain(handle -> handle.release())
                        .chain(() -> Uni.createFrom().completionStage(later)).subscribe().with(inside, nothing -> {
                        }, failure -> {
                        });
                nested.cancel();
                assertThat(locks.held()).as("the hold of the surrounding call").isNotEmpty();
                return Uni.createFrom().item("done");
            })));
            assertThat(around.getItem()).isEqualTo("done");
            assertThat(locks.held()).isEmpty();
        }
    }

    @Test
    void cancellationReleasesAnUnreleasedHandle() {
        for (DistributedLock lock : List.of(locks.lock("a"), locks.all("a", "b"))) {
            Cancellable cancelled = lock.acquireAsync().chain(handle -> Uni.createFrom().nothing()).subscribe()
                    .with(nothing -> {
                    });
            assertThat(locks.held()).isNotEmpty();
            cancelled.cancel();
            assertThat(locks.held()).isEmpty();
        }
    }

    @Test
    void holdAtLeastRequiresExclusiveModeWithoutLimit() {
        Duration minute = Duration.ofMinutes(1);
        assertThatThrownBy(() -> SHARED.withHoldAtLeast(minute)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("use holdAtLeast or SHARED, not both");
        assertThatThrownBy(() -> LockOptions.DEFAULTS.withHoldAtLeast(minute).withLimit(2))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("use holdAtLeast or a limit, not both");
    }

    @Test
    void grantedNamesAreRenewedDuringTheWait() {
        LockHandle b = elsewhere.lock("b").acquire();
        var waiting = subscribe(locks.all("a", "b").tryAcquireAsync(Duration.ofMinutes(10)));
        for (int i = 0; i < 30; i++) {
            time.advance(Duration.ofSeconds(10));
        }
        assertThat(elsewhere.lock("a").tryAcquire(Duration.ZERO)).isEmpty();
        b.close();
        assertThat(waiting.getItem().orElseThrow().isValid()).isTrue();
        waiting.getItem().orElseThrow().close();
    }

    @Test
    void lossDuringTheWaitRestartsTheAcquisition() {
        LockHandle b = elsewhere.lock("b").acquire();
        var waiting = subscribe(locks.all("a", "b").acquireAsync());
        long first = locks.held().get(0).fencingToken();
        elsewhere.forceRelease("a");
        LockHandle a = elsewhere.lock("a").acquire();
        b.close();
        assertThat(waiting.getItem()).as("it has lost the first one").isNull();
        assertThat(elsewhere.lock("b").tryAcquire(Duration.ZERO)).as("and has released the other").isPresent()
                .hasValueSatisfying(LockHandle::close);
        a.close();
        LockHandle both = waiting.getItem();
        assertThat(both.isValid()).isTrue();
        assertThat(both.fencingToken("a")).isGreaterThan(a.fencingToken()).isGreaterThan(first);
        both.close();
    }

    @Test
    void lossBeforeTheBodyStartsRestartsTheAcquisition() {
        LockHandle b = elsewhere.lock("b").acquire();
        var runs = new AtomicInteger();
        var waiting = subscribe(locks.all("a", "b").callAsync(() -> Uni.createFrom().item(runs.incrementAndGet())));
        elsewhere.forceRelease("a");
        b.close();
        assertThat(waiting.getItem()).isEqualTo(1);
        assertThat(runs).hasValue(1);
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void lossAfterTheBodyStartsFailsTheCall() {
        var runs = new AtomicInteger();
        assertThatThrownBy(() -> locks.all("a", "b").call(() -> {
            elsewhere.forceRelease("a");
            return runs.incrementAndGet();
        })).isInstanceOf(LockLostException.class).hasMessageContaining("'a'");
        var failing = subscribe(locks.all("a", "b").callAsync(() -> {
            runs.incrementAndGet();
            elsewhere.forceRelease("b");
            return Uni.createFrom().nothing();
        }));
        failing.assertFailedWith(LockLostException.class, "'b'");
        assertThat(runs).hasValue(2);
        assertThat(locks.held()).isEmpty();
        assertThat(elsewhere.all("a", "b").tryAcquire(Duration.ZERO)).isPresent();
    }

    @Test
    void failedAcquisitionIgnoresHoldAtLeast() throws Exception {
        LockOptions kept = LockOptions.DEFAULTS.withHoldAtLeast(Duration.ofHours(1));
        DistributedLock both = locks.all(kept.withWaitFor(Duration.ZERO), "a", "b");
        LockHandle b = elsewhere.lock("b").acquire();
        assertThat(both.tryAcquire(Duration.ZERO)).isEmpty();
        assertFree("a");
        assertThatThrownBy(() -> both.call(() -> "never")).isInstanceOf(LockBusyException.class);
        assertFree("a");
        subscribe(both.acquireAsync()).assertFailedWith(LockBusyException.class, "'b'");
        assertFree("a");
        subscribe(both.callAsync(() -> Uni.createFrom().item("never"))).assertFailedWith(LockBusyException.class, "'b'");
        assertFree("a");
        var cancelled = subscribe(locks.all(kept, "a", "b").acquireAsync());
        assertThat(locks.held()).hasSize(1);
        cancelled.cancel();
        assertFree("a");
        b.close();

        assertThat(both.call(() -> "done")).isEqualTo("done");
        assertThat(elsewhere.lock("a").tryAcquire(Duration.ZERO)).as("a body has run under it").isEmpty();
        assertThat(elsewhere.lock("b").tryAcquire(Duration.ZERO)).isEmpty();
    }

    @Test
    void lossDuringTheWaitReleasesTheOtherNames() {
        LockOptions kept = LockOptions.DEFAULTS.withHoldAtLeast(Duration.ofHours(1)).withWaitFor(Duration.ofSeconds(5));
        LockHandle c = elsewhere.lock("c").acquire();
        var waiting = subscribe(locks.all(kept, "a", "b", "c").acquireAsync());
        elsewhere.forceRelease("a");
        LockHandle a = elsewhere.lock("a").acquire();
        c.close();
        waiting.assertNotTerminated();
        assertFree("b");
        assertFree("c");
        time.advance(Duration.ofSeconds(6));
        waiting.assertFailedWith(LockBusyException.class, "'a'");
        a.close();
    }

    @Test
    void eachSubscriptionAcquiresItsOwnHandle() {
        LockHandle b = elsewhere.lock("b").acquire();
        Uni<LockHandle> both = locks.all("a", "b").acquireAsync();
        var first = subscribe(both);
        var second = subscribe(both);
        elsewhere.forceRelease("a");
        b.close();
        LockHandle one = first.getItem() != null ? first.getItem() : second.getItem();
        assertThat(one.isValid()).isTrue();
        one.close();
        LockHandle other = one == first.getItem() ? second.getItem() : first.getItem();
        assertThat(other.isValid()).isTrue();
        assertThat(other.fencingToken("a")).isGreaterThan(one.fencingToken("a"));
        other.close();
        assertThat(locks.held()).isEmpty();
    }

    private void assertFree(String name) {
        assertThat(elsewhere.lock(name).tryAcquire(Duration.ZERO)).as(name).isPresent()
                .hasValueSatisfying(LockHandle::close);
    }

    @Test
    void invalidNameListsAreRejected() {
        assertThatThrownBy(() -> locks.all()).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> locks.all("a", "")).isInstanceOf(IllegalArgumentException.class);
        assertThat(locks.all("a", "a").name()).isEqualTo("a");
    }

    @Test
    void extendStopsAtTheFirstFailure() {
        try (LockHandle handle = locks.all("a", "b", "c").acquire()) {
            locks.forceRelease("b");
            subscribe(handle.extendAsync(Duration.ofMinutes(5))).assertFailedWith(LockLostException.class, "'b'");
            assertThat(locks.held()).extracting(HeldLock::name, held -> held.validFor().compareTo(Duration.ofMinutes(1)) > 0)
                    .containsExactlyInAnyOrder(tuple("a", true), tuple("c", false));
        }
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void fault492_lossesOfSeveralAreReportedAsIfNested() {
        assertThatThrownBy(() -> locks.all("a", "b", "c").call(() -> locks.forceRelease("a") & locks.forceRelease("c")))
                .isInstanceOf(LockLostException.class).hasMessageContaining("'c'")
                .satisfies(loss -> assertThat(loss.getSuppressed()).singleElement().asString().contains("'a'"));
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void fault492_lossesWithReenteredNameAreReportedAsIfNested() {
        var inner = new AtomicReference<Throwable>();
        assertThatThrownBy(() -> locks.lock("b").call(() -> {
            inner.set(catchThrowable(() -> locks.all("a", "b", "c").call(() -> {
                assertThat(one.scopes().holds()).extracting(LockHold::name).containsExactly("b", "a", "c");
                return locks.forceRelease("a") & locks.forceRelease("b");
            })));
            assertThat(one.scopes().holds()).extracting(LockHold::name).containsExactly("b");
            return 1;
        })).isInstanceOf(LockLostException.class).hasMessageContaining("'b'").hasNoSuppressedExceptions();
        assertThat(inner.get()).isInstanceOf(LockLostException.class).hasMessageContaining("'b'")
                .satisfies(loss -> assertThat(loss.getSuppressed()).singleElement().asString().contains("'a'"));
        assertThat(locks.held()).isEmpty();
    }

    private static <T> UniAssertSubscriber<T> subscribe(Uni<T> uni) {
        return uni.subscribe().withSubscriber(UniAssertSubscriber.create());
    }
}
