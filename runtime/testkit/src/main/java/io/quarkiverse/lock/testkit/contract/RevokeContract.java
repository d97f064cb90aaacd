package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.testkit.Await;

/**
 * The holder of a name can be asked to finish, and nothing is taken away. For backends with
 * {@link io.quarkiverse.lock.spi.Feature#REQUEST_RELEASE}.
 */
@Needs(features = Feature.REQUEST_RELEASE)
public abstract class RevokeContract extends ContractTest {

    private static final Duration LEASE = Duration.ofSeconds(3);

    @Test
    void remoteHolderIsNotifiedOnceAndKeepsTheLock() {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle hold = a.lock(name(), LEASE).acquire();
        var told = new AtomicInteger();
        hold.onReleaseRequested(told::incrementAndGet);
        assertThat(hold.isReleaseRequested()).isFalse();
        assertThat(b.locks().requestRelease(name())).isTrue();
        assertThat(b.locks().requestRelease(name())).as("asked again").isTrue();
        Await.until("the holder is notified at its next renewal at the latest", SOON, () -> told.get() == 1);
        assertThat(hold.isReleaseRequested()).isTrue();
        assertThat(hold.releaseRequested().toCompletableFuture()).succeedsWithin(SOON);
        Await.during("it stays held, and is not notified again", LEASE.plusSeconds(1), () -> hold.isValid() && told.get() == 1);
        assertThat(a.count(Kind.RELEASE_REQUESTED)).isEqualTo(1);
        assertThat(a.count(Kind.LOST)).isZero();
        assertThat(b.locks().inspect(name())).get().satisfies(info -> assertThat(info.holders()).singleElement()
                .satisfies(holder -> assertThat(holder.fencingToken()).isEqualTo(hold.fencingToken())));
        hold.onReleaseRequested(told::incrementAndGet);
        assertThat(told).as("a late callback runs at once").hasValue(2);
        hold.close();
        assertBecomesFree(b, name(), SOON);
    }

    @Test
    void localHolderIsNotifiedAtOnce() throws Exception {
        Jvm a = jvm();
        LockHandle hold = a.lock(name(), Duration.ofMinutes(10)).acquire();
        var told = new CountDownLatch(1);
        hold.onReleaseRequested(told::countDown);
        assertThat(a.locks().requestRelease(name())).isTrue();
        assertThat(told.await(15, TimeUnit.SECONDS)).isTrue();
        assertHeld(hold);
        hold.close();
    }

    @Test
    @Needs(features = Feature.SHARED)
    void everyReaderIsIncluded() {
        Jvm a = jvm();
        Jvm b = jvm();
        List<LockHandle> readers = new ArrayList<>();
        for (Jvm jvm : List.of(a, a, b)) {
            readers.add(jvm.locks().lock(name(), LockOptions.DEFAULTS.withMode(LockMode.SHARED).withLease(LEASE)).acquire());
        }
        assertThat(jvm().locks().requestRelease(name())).isTrue();
        for (LockHandle reader : readers) {
            assertThat(reader.releaseRequested().toCompletableFuture()).succeedsWithin(SOON);
            assertHeld(reader);
        }
        readers.forEach(LockHandle::close);
    }

    @Test
    @Needs(features = Feature.LIMIT)
    void everyLimitedHolderIsNotified() {
        Jvm a = jvm();
        Jvm b = jvm();
        List<LockHandle> holders = new ArrayList<>();
        for (Jvm jvm : List.of(a, a, b)) {
            holders.add(jvm.locks().lock(name(), LockOptions.DEFAULTS.withLimit(4).withLease(LEASE)).acquire());
        }
        assertThat(b.locks().requestRelease(name())).isTrue();
        for (LockHandle holder : holders) {
            assertThat(holder.releaseRequested().toCompletableFuture()).succeedsWithin(SOON);
            assertHeld(holder);
        }
        LockHandle later = b.locks().lock(name(), LockOptions.DEFAULTS.withLimit(4).withLease(LEASE)).acquire();
        Await.during("a later holder is not asked", LEASE.dividedBy(2), () -> !later.isReleaseRequested());
        later.close();
        holders.forEach(LockHandle::close);
    }

    @Test
    void nextHolderIsNotNotified() {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle first = a.lock(name(), LEASE).acquire();
        assertThat(b.locks().requestRelease(name())).isTrue();
        assertThat(first.releaseRequested().toCompletableFuture()).succeedsWithin(SOON);
        first.close();
        for (Jvm jvm : List.of(a, b, a)) {
            try (LockHandle next = jvm.lock(name(), LEASE).acquire()) {
                Await.during("the request was for another", LEASE.dividedBy(2), () -> !next.isReleaseRequested());
            }
        }
    }

    @Test
    void requestForFreeNameNotifiesNobody() {
        Jvm a = jvm();
        Jvm b = jvm();
        assertThat(b.locks().requestRelease(name())).isFalse();
        try (LockHandle hold = a.lock(name(), LEASE).acquire()) {
            Await.during("nobody has asked this one", LEASE.dividedBy(2), () -> !hold.isReleaseRequested());
        }
        assertBecomesFree(b, name(), SOON);
        assertThat(b.locks().requestRelease(name())).isFalse();
        assertThat(environment().leftovers()).noneMatch(left -> left.contains(name()));
    }

    @Test
    void requestedReleaseHandsOffToWaiter() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle hold = a.lock(name(), LEASE).acquire();
        hold.onReleaseRequested(hold::release);
        CompletableFuture<LockHandle> waiting = start(() -> b.lock(name(), LEASE).acquire());
        awaitWaiters(b, name(), 1);
        assertThat(b.locks().requestReleaseAsync(name()).await().atMost(SOON)).isTrue();
        LockHandle next = get(waiting);
        assertThat(next.fencingToken()).isGreaterThan(hold.fencingToken());
        assertThat(hold.isValid()).isFalse();
        assertThat(a.count(Kind.LOST)).isZero();
        Await.during("the request was for the one before", LEASE.dividedBy(2), () -> !next.isReleaseRequested());
        next.close();
    }

    @Test
    void nestedHandlesAreNotifiedToo() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        boolean asked = a.lock(name(), LEASE).call(() -> {
            LockHandle nested = a.lock(name()).acquire();
            var told = new CountDownLatch(1);
            nested.onReleaseRequested(told::countDown);
            b.locks().requestRelease(name());
            boolean inTime = told.await(15, TimeUnit.SECONDS);
            assertHeld(nested);
            nested.close();
            return inTime;
        });
        assertThat(asked).isTrue();
        assertBecomesFree(b, name(), SOON);
    }

    @Test
    void requestedReleaseSkipsLocalHandOff() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle hold = a.lock(name(), LEASE).acquire();
        CompletableFuture<LockHandle> elsewhere = start(() -> b.lock(name(), LEASE).acquire());
        awaitWaiters(b, name(), 1);
        CompletableFuture<LockHandle> here = start(() -> a.lock(name(), LEASE).acquire());
        awaitRequests(a, 2);
        b.locks().requestRelease(name());
        assertThat(hold.releaseRequested().toCompletableFuture()).succeedsWithin(SOON);
        hold.close();
        get(elsewhere).close();
        LockHandle last = get(here);
        assertThat(a.count(Kind.BATON)).isZero();
        assertThat(last.isReleaseRequested()).isFalse();
        last.close();
    }
}
