package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.smallrye.mutiny.Uni;

/** A holder that loses its lock is notified once and stopped. */
public abstract class LossContract extends ContractTest {

    private static final Duration LEASE = RENEWED_LEASE;
    /** Late enough for a renewal of {@link #WATCHED_LEASE} to have reported a loss, and before the lease ends. */
    private static final Duration BEFORE_ITS_END = WATCHED_LEASE.minusSeconds(1);

    @Test
    @Rule({ 2, 5 })
    void forcedReleaseNotifiesTheHolder() {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle hold = a.lock(name(), WATCHED_LEASE).acquire();
        var told = new AtomicInteger();
        hold.onLost(told::incrementAndGet);
        assertThat(b.locks().forceRelease(name())).isTrue();
        Await.until("the holder is notified at its next renewal at the latest", BEFORE_ITS_END, () -> told.get() == 1);
        assertThat(hold.isValid()).isFalse();
        assertThat(hold.lost().toCompletableFuture()).isCompletedWithValueMatching(e -> e.lockName().equals(name()));
        hold.onLost(told::incrementAndGet);
        Await.until("a late callback runs at once", SOON, () -> told.get() == 2);
        hold.close();
        assertThat(told).hasValue(2);
        assertThat(a.count(Kind.LOST)).isEqualTo(1);
        assertThat(a.count(Kind.RELEASED)).isZero();
        assertThat(b.locks().forceRelease(name())).isFalse();
    }

    @Test
    @Rule({ 2, 5 })
    @Fault(180)
    void fault180_bodyFailsIfLockIsLostAtItsEnd() {
        Jvm a = jvm();
        Jvm b = jvm();
        int times = times(1_000, 50);
        for (int i = 0; i < times; i++) {
            Jvm from = i % 2 == 0 ? a : b;
            assertThatThrownBy(() -> a.lock(name()).call(() -> from.locks().forceRelease(name())))
                    .isInstanceOf(LockLostException.class);
        }
        assertThat(a.count(Kind.LOST)).isEqualTo(times);
    }

    @Test
    @Rule(5)
    void normalReleaseNotifiesNobody() {
        Jvm a = jvm();
        LockHandle hold = a.lock(name(), LEASE).acquire();
        var told = new AtomicBoolean();
        hold.onLost(() -> told.set(true));
        CompletableFuture<LockLostException> lost = hold.lost().toCompletableFuture();
        hold.close();
        Await.during("not notified", LEASE.plusMillis(200), () -> !told.get());
        assertThat(lost).isNotDone();
        assertThat(a.count(Kind.LOST)).isZero();
    }

    @Test
    @Rule({ 2, 5, 11 })
    @Fault(15)
    void fault15_missingGrantIsDetectedAtNextRenewal() {
        FaultyBackend faulty = faulty();
        Jvm a = jvmOver(faulty);
        LockHandle hold = a.lock(name(), WATCHED_LEASE).acquire();
        faulty.forget(name());
        CompletableFuture<LockLostException> lost = hold.lost().toCompletableFuture();
        assertThat(lost).succeedsWithin(BEFORE_ITS_END);
        assertThat(hold.isValid()).isFalse();
        int renewals = faulty.renewals();
        jvm().lock(name()).tryAcquire(Duration.ZERO).orElseThrow().close();
        Await.during("it is no longer renewed", WATCHED_LEASE.dividedBy(2), () -> faulty.renewals() == renewals);
        hold.close();
    }

    @Test
    @Rule({ 2, 5 })
    @Needs(Ability.DELETE_GRANT)
    @Fault(15)
    void fault15_deletedGrantIsLostAndNotRecreated() {
        Jvm a = jvm();
        LockHandle hold = a.lock(name(), WATCHED_LEASE).acquire();
        environment().deleteGrant(name());
        assertThat(hold.lost().toCompletableFuture()).succeedsWithin(BEFORE_ITS_END);
        assertThat(hold.isValid()).isFalse();
        assertThat(jvm().locks().inspect(name())).isEmpty();
        hold.close();
    }

    @Test
    @Rule(5)
    @Needs(Ability.DELETE_GRANT)
    void releaseOfDeletedGrantIsALoss() {
        Jvm a = jvm();
        LockHandle hold = a.lock(name()).acquire();
        environment().deleteGrant(name());
        hold.close();
        assertThat(hold.lost().toCompletableFuture()).succeedsWithin(SOON);
        assertThat(a.count(Kind.LOST)).isEqualTo(1);
    }

    @Test
    @Rule({ 2, 5 })
    @Needs(Ability.LOSE_DATA)
    @Fault(23)
    void fault23_dataLossLosesTheLocks() {
        Jvm a = jvm();
        LockHandle hold = a.lock(name(), WATCHED_LEASE).acquire();
        environment().loseAllData();
        assertThat(hold.lost().toCompletableFuture()).succeedsWithin(BEFORE_ITS_END);
        hold.close();
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule(5)
    void expiryWithoutRenewalNotifiesTheHolder() {
        Jvm a = jvm();
        LockHandle hold = a.lockWithoutRenewal(name(), SHORT_LEASE).acquire();
        assertThat(hold.lost().toCompletableFuture()).succeedsWithin(SOON);
        hold.close();
    }

    @Test
    @Rule(5)
    void blockingCallFailsAtItsEndAfterLoss() {
        Jvm a = jvm();
        var ran = new AtomicBoolean();
        assertThatThrownBy(() -> a.lock(name(), LEASE).call(() -> {
            LockHandle nested = a.lock(name()).acquire();
            jvm().locks().forceRelease(name());
            Await.until("the loss is known", SOON, () -> !nested.isValid());
            nested.close();
            ran.set(true);
            return "result";
        })).isInstanceOf(LockLostException.class).hasMessageContaining(name());
        assertThat(ran).isTrue();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    @Rule(5)
    @Fault(121)
    void fault121_nestedCallAlsoFailsAfterLoss() {
        Jvm a = jvm();
        var inner = new AtomicReference<Throwable>();
        Throwable outer = catchThrowable(() -> a.lock(name(), LEASE).call(() -> {
            inner.set(catchThrowable(() -> a.lock(name()).call(() -> {
                loseIn(a);
                return "result";
            })));
            return "result";
        }));
        assertThat(inner.get()).isInstanceOf(LockLostException.class).hasNoSuppressedExceptions();
        assertThat(outer).isInstanceOf(LockLostException.class).hasNoSuppressedExceptions().isNotSameAs(inner.get());
    }

    @Test
    @Rule(5)
    @Fault(121)
    void fault121_nestedMultiNameCallAlsoFailsAfterLoss() {
        Jvm a = jvm();
        var both = a.locks().all(name(), name() + "-other");
        var inner = new AtomicReference<Throwable>();
        assertThatThrownBy(() -> both.call(() -> {
            inner.set(catchThrowable(() -> both.call(() -> {
                loseIn(a);
                return "result";
            })));
            return "result";
        })).isInstanceOf(LockLostException.class);
        assertThat(inner.get()).isInstanceOf(LockLostException.class);
    }

    @Test
    @Rule(5)
    @Fault(121)
    void fault121_interruptedNestedCallReportsTheLoss() {
        var defaults = new ManagerDefaults("interrupting", Duration.ofSeconds(10), LEASE, true, null, OnLost.INTERRUPT);
        Jvm a = jvm("interrupting", builder -> {
        }, defaults);
        var inner = new AtomicReference<Throwable>();
        assertThatThrownBy(() -> a.lock(name()).call(() -> {
            inner.set(catchThrowable(() -> a.lock(name()).call(() -> {
                start(() -> jvm().locks().forceRelease(name())); // its own thread is not interrupted
                return new CountDownLatch(1).await(30, TimeUnit.SECONDS);
            })));
            return "result";
        })).isInstanceOf(LockLostException.class);
        assertThat(inner.get()).isInstanceOf(LockLostException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    @Rule(5)
    @Fault(121)
    void fault121_eachFailureHasItsOwnStackTrace() {
        Jvm a = jvm();
        LockHandle hold = a.lock(name(), LEASE).acquire();
        loseIn(a);
        Throwable first = catchThrowable(() -> hold.extend(LEASE));
        Throwable second = catchThrowable(() -> hold.extend(LEASE));
        assertThat(first).isInstanceOf(LockLostException.class).isNotSameAs(second);
        assertThat(first.getStackTrace()).anyMatch(frame -> frame.getClassName().equals(LossContract.class.getName()));
        Throwable fromCall = catchThrowable(() -> a.lock(name(), LEASE).run(() -> loseIn(a)));
        assertThat(fromCall).isInstanceOf(LockLostException.class);
        assertThat(fromCall.getStackTrace()).anyMatch(frame -> frame.getClassName().equals(LossContract.class.getName()));
        hold.close();
    }

    private void loseIn(Jvm holder) {
        long before = holder.count(Kind.LOST);
        jvm().locks().forceRelease(name());
        Await.until("the loss is known", SOON, () -> holder.count(Kind.LOST) > before);
    }

    @Test
    @Rule({ 5, 10 })
    void bodyFailureStaysPrimary() {
        Jvm a = jvm();
        var failure = new IllegalArgumentException("mine");
        assertThatThrownBy(() -> a.lock(name(), LEASE).call(() -> {
            jvm().locks().forceRelease(name());
            Await.until("the loss is known", SOON, () -> a.count(Kind.LOST) == 1);
            throw failure;
        })).isSameAs(failure);
    }

    @Test
    @Rule(5)
    void lossFailsUniAndCancelsItsBody() throws Exception {
        Jvm a = jvm();
        var begun = new CountDownLatch(1);
        var cancelled = new CountDownLatch(1);
        CompletableFuture<Object> result = a.lock(name(), LEASE)
                .callAsync(() -> Uni.createFrom().emitter(emitter -> {
                    emitter.onTermination(cancelled::countDown);
                    begun.countDown();
                })).subscribeAsCompletionStage();
        assertThat(begun.await(15, TimeUnit.SECONDS)).isTrue();
        jvm().locks().forceRelease(name());
        assertThatThrownBy(() -> get(result)).isInstanceOf(LockLostException.class);
        assertThat(cancelled.await(15, TimeUnit.SECONDS)).isTrue();
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule(2)
    void lostHoldCannotBeExtended() {
        Jvm a = jvm();
        LockHandle hold = a.lock(name()).acquire();
        a.locks().forceRelease(name());
        Await.until("the loss is known", SOON, () -> !hold.isValid());
        assertThatThrownBy(() -> hold.extend(LEASE)).isInstanceOf(LockLostException.class);
        assertThat(hold.isValid()).isFalse();
        hold.close();
    }

    @Test
    @Rule(5)
    void throwingListenerDoesNotAffectOthers() {
        Jvm a = jvm();
        LockHandle hold = a.lock(name()).acquire();
        var told = new AtomicBoolean();
        hold.onLost(() -> {
            throw new IllegalStateException("a fault that the test asked for");
        });
        hold.onLost(() -> told.set(true));
        a.locks().forceRelease(name());
        Await.until("the second callback has run", SOON, told::get);
        hold.close();
        assertBecomesFree(a, name(), SOON);
    }
}
