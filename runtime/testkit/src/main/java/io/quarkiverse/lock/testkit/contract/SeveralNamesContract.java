package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLongArray;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.smallrye.mutiny.Uni;

/** Several names form one lock: all or none, and no cycle of callers that wait for each other. */
public abstract class SeveralNamesContract extends ContractTest {

    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final int ACCOUNTS = 20;
    private static final long EACH = 1_000;

    private String x() {
        return name() + "-x";
    }

    private String y() {
        return name() + "-y";
    }

    @Test
    void allNamesAreHeldWithOneTokenEach() {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle before = b.lock(y()).acquire();
        before.close();
        try (LockHandle both = a.locks().all(y(), x(), y()).acquire()) {
            assertThat(both.name()).isEqualTo(x() + ", " + y());
            assertHeld(both);
            assertThat(both.validFor()).isPositive();
            assertThat(both.fencingToken(y())).isGreaterThan(before.fencingToken());
            assertThat(both.fencingToken(x())).isPositive();
            assertThatThrownBy(both::fencingToken).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("fencingToken(name)");
            assertThatThrownBy(() -> both.fencingToken("z")).isInstanceOf(IllegalArgumentException.class);
            assertThat(b.lock(x()).tryAcquire(Duration.ZERO)).isEmpty();
            assertThat(b.lock(y()).tryAcquire(Duration.ZERO)).isEmpty();
            both.extend(Duration.ofSeconds(40));
            assertThat(a.locks().held()).hasSize(2);
        }
        assertThat(a.locks().held()).isEmpty();
        assertBecomesFree(b, x(), SOON);
        assertBecomesFree(b, y(), SOON);
    }

    @Test
    void noNameIsHeldIfOneIsBusy() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        DistributedLock both = a.locks().all(x(), y());
        DistributedLock impatient = a.locks().all(LockOptions.DEFAULTS.withWaitFor(SHORT), x(), y());
        try (LockHandle hold = b.lock(y()).acquire()) {
            assertThat(both.tryAcquire(Duration.ZERO)).isEmpty();
            assertThat(both.tryAcquire(SHORT)).isEmpty();
            DistributedLock patient = a.locks().all(LockOptions.DEFAULTS.withWaitFor(ANSWERED), x(), y());
            assertThatThrownBy(patient::acquire).isInstanceOf(LockBusyException.class).hasMessageContaining(y());
            assertThatThrownBy(() -> impatient.call(() -> 1)).isInstanceOf(LockBusyException.class);
            assertThat(both.tryAcquireAsync(SHORT).await().atMost(SOON)).isEmpty();
            assertThatThrownBy(() -> impatient.callAsync(() -> Uni.createFrom().item(1)).await().atMost(SOON))
                    .isInstanceOf(LockBusyException.class);
            assertBecomesFree(b, x(), SOON);
            assertThat(a.locks().held()).isEmpty();
            assertHeld(hold);
        }
        assertBecomesFree(a, y(), SOON);
    }

    @Test
    void cancelledWaitReleasesNamesHeldSoFar() {
        Jvm a = jvm();
        Jvm b = jvm();
        try (LockHandle hold = b.lock(y()).acquire()) {
            var waiting = a.locks().all(x(), y()).acquireAsync().subscribe().with(LockHandle::close, failure -> {
            });
            awaitWaiters(b, y(), 1);
            assertThat(b.lock(x()).tryAcquire(Duration.ZERO)).isEmpty();
            waiting.cancel();
            assertBecomesFree(b, x(), SOON);
            awaitWaiters(b, y(), 0);
            assertHeld(hold);
        }
    }

    @Test
    void holdIsLostWithItsFirstName() {
        Jvm a = watchful();
        Jvm b = jvm();
        try (LockHandle both = a.locks().all(x(), y()).acquire()) {
            b.locks().forceRelease(y());
            Await.until("it is lost", SOON, () -> !both.isValid());
            assertThat(both.lost()).succeedsWithin(SOON)
                    .satisfies(loss -> assertThat(loss.getMessage()).contains(y()));
            assertThat(both.validFor()).isZero();
            assertThat(b.lock(x()).tryAcquire(Duration.ZERO)).as("the other name is held until the release").isEmpty();
        }
        assertBecomesFree(b, x(), SOON);
        assertBecomesFree(b, y(), SOON);
    }

    @Test
    void multiNameCallIsReentrantForEachName() throws Exception {
        Jvm a = jvm();
        DistributedLock both = a.locks().all(y(), x());
        assertThat(both.call(() -> {
            assertThat(a.locks().held()).hasSize(2);
            return a.lock(x()).call(() -> a.lock(y()).call(() -> both.call(() -> "inside")));
        })).isEqualTo("inside");
        assertThat(both.callAsync(() -> a.lock(x()).callAsync(() -> both.callAsync(() -> Uni.createFrom().item("inside"))))
                .await().atMost(SOON)).isEqualTo("inside");
        assertBecomesFree(a, x(), SOON);
        assertBecomesFree(a, y(), SOON);
    }

    @Test
    @Fault(62)
    void fault62_anyNameOrderAvoidsDeadlock() throws Exception {
        Jvm[] jvms = { jvm(), jvm() };
        int each = times(400, 30);
        Duration longerThanUnfairBackendsStarve = Duration.ofMinutes(1);
        LockOptions patient = LockOptions.DEFAULTS.withWaitFor(longerThanUnfairBackendsStarve);
        inLanes(4, lane -> {
            Jvm jvm = jvms[lane % 2];
            for (int i = 0; i < each; i++) {
                DistributedLock both = lane < 2 ? jvm.locks().all(patient, x(), y()) : jvm.locks().all(patient, y(), x());
                if (i % 2 == 0) {
                    both.acquire().close();
                } else {
                    both.callAsync(() -> Uni.createFrom().item(1)).await().atMost(longerThanUnfairBackendsStarve.plus(SOON));
                }
            }
        });
        assertBecomesFree(jvms[0], x(), SOON);
        assertBecomesFree(jvms[0], y(), SOON);
    }

    /** The sum stays constant, and nobody waits longer than all the others need. */
    @Test
    void concurrentTransfersKeepTheSum() throws Exception {
        var accounts = new AtomicLongArray(ACCOUNTS);
        for (int i = 0; i < ACCOUNTS; i++) {
            accounts.setPlain(i, EACH);
        }
        long end = System.nanoTime() + Duration.ofMillis(times(20_000, 1_500)).toNanos();
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Jvm jvm = jvm();
            for (int j = 0; j < 4; j++) {
                var random = new SplittableRandom(4 * i + j);
                all.add(start(() -> transfers(jvm, accounts, random, end)));
            }
        }
        int transfers = 0;
        for (var one : all) {
            transfers += get(one);
        }
        long sum = 0;
        for (int i = 0; i < ACCOUNTS; i++) {
            sum += accounts.getPlain(i);
        }
        assertThat(transfers).isPositive();
        assertThat(sum).isEqualTo(ACCOUNTS * EACH);
    }

    private int transfers(Jvm jvm, AtomicLongArray accounts, SplittableRandom random, long end) {
        int transfers = 0;
        do { // at least once, even on a machine where all of them start late
            int from = random.nextInt(ACCOUNTS);
            int to = random.nextInt(ACCOUNTS);
            try (LockHandle both = jvm.locks().all(name() + from, name() + to).acquire()) {
                if (from != to) {
                    long amount = random.nextInt(10);
                    long left = accounts.getPlain(from) - amount;
                    long more = accounts.getPlain(to) + amount;
                    Thread.yield();
                    accounts.setPlain(from, left);
                    accounts.setPlain(to, more);
                }
                assertHeld(both);
                transfers++;
            }
        } while (System.nanoTime() < end);
        return transfers;
    }
}
