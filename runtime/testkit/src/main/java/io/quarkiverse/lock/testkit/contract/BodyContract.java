package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.smallrye.mutiny.Uni;

/** The caller gets what the body returns or throws. */
public abstract class BodyContract extends ContractTest {

    @Test
    @Rule(10)
    void bodyResultIsReturned() throws Exception {
        Jvm a = jvm();
        assertThat(a.lock(name()).call(() -> "result")).isEqualTo("result");
        assertThat(a.lock(name()).<String> call(() -> null)).isNull();
        var ran = new AtomicInteger();
        a.lock(name()).run(ran::incrementAndGet);
        assertThat(ran).hasValue(1);
        assertThat(get(a.lock(name()).callAsync(() -> Uni.createFrom().item("later")).subscribeAsCompletionStage()))
                .isEqualTo("later");
        assertThat(get(a.lock(name()).callAsync(() -> Uni.createFrom().nullItem()).subscribeAsCompletionStage())).isNull();
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule(10)
    void bodyRunsUnderTheLock() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        a.lock(name()).call(() -> {
            assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
            return null;
        });
        assertThat(get(a.lock(name()).callAsync(() -> b.lock(name()).tryAcquireAsync(Duration.ZERO))
                .subscribeAsCompletionStage())).isEmpty();
    }

    @Test
    @Rule(10)
    @Fault(4)
    void fault04_bodyFailureIsRethrownAndLockReleased() {
        Jvm a = jvm();
        for (Throwable failure : new Throwable[] { new IOException("checked"), new IllegalStateException("unchecked"),
                new StackOverflowError("an error") }) {
            assertThat(catchThrowable(() -> a.lock(name()).call(() -> {
                throw sneaky(failure);
            }))).isSameAs(failure);
            assertThat(failure.getSuppressed()).isEmpty();
            assertThatThrownBy(() -> get(a.lock(name()).callAsync(() -> Uni.createFrom().failure(failure))
                    .subscribeAsCompletionStage())).satisfiesAnyOf(thrown -> assertThat(thrown).isSameAs(failure),
                            thrown -> assertThat(thrown).hasCause(failure));
            assertBecomesFree(a, name(), SOON);
        }
        assertThatThrownBy(() -> get(a.lock(name()).callAsync(() -> {
            throw new IllegalStateException("before there is a Uni");
        }).subscribeAsCompletionStage())).hasMessageContaining("before there is a Uni");
        assertBecomesFree(a, name(), SOON);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> Exception sneaky(Throwable failure) throws E {
        throw (E) failure;
    }

    @Test
    @Rule(10)
    void eachSubscriptionAcquiresTheLockAnew() throws Exception {
        Jvm a = jvm();
        var runs = new AtomicInteger();
        Uni<Integer> lazy = a.lock(name()).callAsync(() -> Uni.createFrom().item(runs::incrementAndGet));
        assertThat(a.count(Kind.REQUESTED)).isZero();
        assertThat(get(lazy.subscribeAsCompletionStage())).isEqualTo(1);
        assertThat(get(lazy.subscribeAsCompletionStage())).isEqualTo(2);
        assertThat(a.count(Kind.REQUESTED)).isEqualTo(2);
    }

    @Test
    @Rule({ 9, 10 })
    void cancelledBodyReleasesTheLock() throws Exception {
        Jvm a = jvm();
        var begun = new CountDownLatch(1);
        var cancelled = new CountDownLatch(1);
        var running = a.lock(name()).callAsync(() -> Uni.createFrom().emitter(emitter -> {
            emitter.onTermination(cancelled::countDown);
            begun.countDown();
        })).subscribe().with(item -> {
        });
        assertThat(begun.await(15, TimeUnit.SECONDS)).isTrue();
        running.cancel();
        assertThat(cancelled.await(15, TimeUnit.SECONDS)).isTrue();
        assertBecomesFree(jvm(), name(), SOON);
    }

    @Test
    @Rule(10)
    @Fault(4)
    void fault04_failedReleaseIsSuppressedByBodyFailure() {
        FaultyBackend faulty = faulty();
        Jvm a = jvmOver(faulty);
        var failure = new IllegalArgumentException("mine");
        assertThatThrownBy(() -> a.lock(name()).call(() -> {
            faulty.failReleases(1);
            throw failure;
        })).isSameAs(failure);
        assertThat(failure.getSuppressed()).singleElement()
                .isInstanceOf(io.quarkiverse.lock.LockBackendException.class);
        assertBecomesFree(jvm(), name(), SOON);
        var later = new IllegalArgumentException("mine too");
        assertThatThrownBy(() -> get(a.lock(name()).callAsync(() -> {
            faulty.failReleases(1);
            return Uni.createFrom().failure(later);
        }).subscribeAsCompletionStage())).isSameAs(later);
        assertThat(later.getSuppressed()).hasSize(1);
    }

    @Test
    @Rule(10)
    @Fault(5)
    void fault05_failedReleaseKeepsResultAndIsRetried() throws Exception {
        FaultyBackend faulty = faulty();
        Jvm a = jvmOver(faulty);
        LockHandle[] inside = new LockHandle[1];
        assertThat(a.lock(name()).call(() -> {
            faulty.failReleases(3);
            inside[0] = a.lock(name()).acquire();
            inside[0].close();
            return "result";
        })).isEqualTo("result");
        assertThat(a.locks().held()).isEmpty();
        assertBecomesFree(jvm(), name(), SOON);
        Await.until("the late release is reported", SOON, () -> a.count(Kind.RELEASED_LATE) == 1);
        CompletableFuture<String> later = a.lock(name()).callAsync(() -> {
            faulty.failReleases(1);
            return Uni.createFrom().item("later");
        }).subscribeAsCompletionStage();
        assertThat(get(later)).isEqualTo("later");
        assertBecomesFree(jvm(), name(), SOON);
    }

    @Test
    @Rule(10)
    void closeSwallowsFailureAndReleaseReportsIt() {
        FaultyBackend faulty = faulty();
        Jvm a = jvmOver(faulty);
        LockHandle one = a.lock(name()).acquire();
        faulty.failReleases(1);
        one.close();
        assertThat(one.isValid()).isFalse();
        assertBecomesFree(a, name(), SOON);
        LockHandle two = a.lock(name()).acquire();
        faulty.failReleases(1);
        assertThatThrownBy(() -> two.release().await().atMost(SOON))
                .isInstanceOf(io.quarkiverse.lock.LockBackendException.class);
        assertBecomesFree(a, name(), SOON);
    }
}
