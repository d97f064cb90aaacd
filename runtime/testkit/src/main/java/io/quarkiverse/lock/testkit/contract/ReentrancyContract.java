package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.smallrye.mutiny.Uni;

/** Nested requests re-enter the lock, and no others do. */
public abstract class ReentrancyContract extends ContractTest {

    @Test
    @Rule(7)
    void nestedCallReentersTheLock() throws Exception {
        Jvm a = jvm();
        String result = a.lock(name()).call(() -> a.lock(name()).call(() -> a.lock(name()).call(() -> "inner")));
        assertThat(result).isEqualTo("inner");
        assertBecomesFree(jvm(), name(), SOON);
    }

    @Test
    @Rule(7)
    void handleInsideCallIsNested() throws Exception {
        Jvm a = jvm();
        a.lock(name()).call(() -> {
            LockHandle nested = a.lock(name()).acquire();
            nested.close();
            assertThat(nested.isValid()).isFalse();
            try (LockHandle again = a.lock(name()).tryAcquire(Duration.ZERO).orElseThrow()) {
                assertHeld(again);
            }
            assertThat(jvm().lock(name()).tryAcquire(Duration.ZERO)).as("still held outside").isEmpty();
            return null;
        });
    }

    @Test
    @Rule(7)
    void anotherThreadCannotReenter() throws Exception {
        Jvm a = jvm();
        a.lock(name()).call(() -> {
            assertThat(get(start(() -> a.lock(name()).tryAcquire(Duration.ofMillis(20))))).isEmpty();
            return null;
        });
    }

    @Test
    @Rule(7)
    void openHandleIsNotReentrant() {
        Jvm a = jvm();
        try (LockHandle hold = a.lock(name()).acquire()) {
            assertThat(a.lock(name()).tryAcquire(Duration.ofMillis(20))).isEmpty();
            assertHeld(hold);
        }
    }

    @Test
    @Rule(7)
    void nestedCallOfOtherNameAcquiresIt() throws Exception {
        Jvm a = jvm();
        a.lock(name()).call(() -> a.lock(name() + "2").call(() -> {
            assertThat(jvm().lock(name() + "2").tryAcquire(Duration.ZERO)).isEmpty();
            return a.lock(name()).call(() -> null);
        }));
    }

    @Test
    @Rule(7)
    @Fault(60)
    void fault60_nestedPipelineReentersOnAnyThread() throws Exception {
        Jvm a = jvm();
        Uni<String> nested = a.lock(name()).callAsync(() -> Uni.createFrom().item("x").emitOn(threads())
                .chain(() -> a.lock(name()).callAsync(() -> Uni.createFrom().item("inner").emitOn(threads()))));
        assertThat(get(nested.subscribeAsCompletionStage())).isEqualTo("inner");
        assertBecomesFree(jvm(), name(), SOON);
    }

    @Test
    @Rule(7)
    void siblingPipelinesExcludeEachOther() throws Exception {
        Jvm a = jvm();
        var inside = new AtomicInteger();
        Uni<Integer> one = a.lock(name()).callAsync(() -> Uni.createFrom().item(inside::incrementAndGet)
                .onItem().delayIt().by(Duration.ofMillis(50)).invoke(inside::decrementAndGet));
        var both = Uni.join().all(one, one, one).andFailFast();
        assertThat(get(both.subscribeAsCompletionStage())).containsExactly(1, 1, 1);
    }

    @Test
    @Rule(7)
    void stageAfterPipelineRunsOutsideTheLock() throws Exception {
        Jvm a = jvm();
        CompletableFuture<Boolean> free = a.lock(name()).callAsync(() -> Uni.createFrom().item("x"))
                .map(x -> jvm().lock(name()).tryAcquire(SOON).map(hold -> {
                    hold.close();
                    return true;
                }).orElse(false)).subscribeAsCompletionStage();
        assertThat(get(free)).isTrue();
    }

    @Test
    @Rule({ 3, 7 })
    @Fault(60)
    void fault60_handleMayBeUsedOnAnotherThread() throws Exception {
        Jvm a = jvm();
        var taker = new AtomicReference<Thread>();
        LockHandle hold = get(start(() -> {
            taker.set(Thread.currentThread());
            return a.lock(name()).acquire();
        }));
        assertHeld(hold);
        assertThat(taker.get()).isNotSameAs(Thread.currentThread());
        hold.extend(Duration.ofSeconds(40));
        hold.close();
        assertBecomesFree(jvm(), name(), SOON);
    }

    @Test
    @Rule(7)
    void lostLockIsNotReentered() throws Exception {
        Jvm a = jvm();
        var got = new CompletableFuture<Boolean>();
        try {
            a.lock(name()).call(() -> {
                a.locks().forceRelease(name());
                Await.until("the loss is known", SOON, () -> a.locks().held().isEmpty());
                try (LockHandle other = jvm().lock(name()).acquire()) {
                    assertHeld(other);
                    got.complete(a.lock(name()).tryAcquire(Duration.ofMillis(50)).isPresent());
                }
                return null;
            });
        } catch (io.quarkiverse.lock.LockLostException expected) {
            assertThat(expected.lockName()).isEqualTo(name());
        }
        assertThat(got).isCompletedWithValue(false);
    }
}
