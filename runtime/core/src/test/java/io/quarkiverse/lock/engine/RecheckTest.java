package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.NoNews;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Renewal;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;

/** A renewal confirms the state at the time it was sent: doubts that arise before its answer remain. */
class RecheckTest {

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final VirtualTime time = new VirtualTime();
    private final SlowAnswers backend = new SlowAnswers(new LocalBackend(new LocalStore(time)));
    private final LockEngine engine = LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run))
            .start();
    private final LockHandle hold = engine.manager(ManagerDefaults.STANDARD)
            .lock("a", LockOptions.DEFAULTS.withLease(LEASE)).acquire();

    @AfterEach
    void close() {
        hold.close();
        engine.close();
    }

    @Test
    void answerFromBeforeReconnectDoesNotReplaceRecheck() {
        SlowAnswers.Asked before = renewalUnderWay();
        engine.recheck();
        before.answer();
        soon();
        assertThat(backend.asked).as("asked again after the reconnect").hasSize(1);
        time.advance(Duration.ofSeconds(1));
        backend.asked.poll().answer();
        soon();
        assertThat(backend.asked).as("confirmed for now").isEmpty();
    }

    @Test
    void earlierAnswerDuringRecheckDoesNotReplaceIt() {
        SlowAnswers.Asked before = renewalUnderWay();
        engine.recheck();
        soon();
        SlowAnswers.Asked recheck = backend.asked.poll();
        before.answer();
        backend.forget("a");
        recheck.answer();
        assertThat(hold.isValid()).isFalse();
    }

    @Test
    void fault125_restoredProcessIgnoresAnswersToEarlierRenewals() {
        SlowAnswers.Asked before = renewalUnderWay();
        engine.afterRestore();
        assertThat(hold.isValid()).isFalse();
        before.answer();
        assertThat(hold.isValid()).as("it has been frozen since then").isFalse();
        backend.forget("a");
        soon();
        backend.asked.poll().answer();
        assertThat(hold.isValid()).isFalse();
        assertThat(engine.held()).as("lost at once").isEmpty();
    }

    @Test
    void olderAnswerDoesNotClearSuspicionOfGrant() {
        SlowAnswers.Asked before = renewalUnderWay();
        backend.listener.suspect(backend.granted);
        before.answer();
        soon();
        assertThat(backend.asked).hasSize(1);
    }

    /** It does extend the lease, counted from when it was sent. */
    @Test
    void olderAnswerStillExtendsTheLease() {
        SlowAnswers.Asked before = renewalUnderWay();
        engine.recheck();
        time.advance(Duration.ofSeconds(1));
        before.answer();
        assertThat(hold.validFor()).isGreaterThan(LEASE.minusSeconds(4));
    }

    @Test
    void renewalSentBeforeSuspensionDoesNotConfirmHold() {
        SlowAnswers.Asked before = renewalUnderWay();
        time.shiftWallClock(Duration.ofMinutes(10));
        before.answer();
        assertThat(hold.isValid()).as("sent before the machine was suspended").isFalse();
        soon();
        backend.asked.poll().answer();
        assertThat(hold.isValid()).isTrue();
    }

    /** Reconnects may happen more often than once per lease: a stuck holder would keep its lock forever. */
    @Test
    void fault303_recheckDoesNotExtendUnrenewedHold() {
        LockHandle once = engine.manager(ManagerDefaults.STANDARD)
                .lock("b", LockOptions.DEFAULTS.withLease(LEASE).withRenew(false)).acquire();
        Duration left = once.validFor();
        time.advance(Duration.ofSeconds(20));
        engine.recheck();
        answerAll();
        assertThat(once.validFor()).isPositive().isLessThan(left.minusSeconds(20));
        time.advance(left.minusSeconds(20));
        assertThat(once.isValid()).isFalse();
    }

    @Test
    void fault303_recheckDoesNotExtendHoldPastMaxHold() {
        LockHandle limited = engine.manager(ManagerDefaults.STANDARD)
                .lock("b", LockOptions.DEFAULTS.withLease(LEASE).withMaxHold(LEASE)).acquire();
        for (int second = 0; second < 100; second++) {
            time.advance(Duration.ofSeconds(1));
            if (second >= 40) {
                engine.recheck();
            }
            answerAll();
        }
        assertThat(limited.isValid()).isFalse();
        assertThat(hold.isValid()).isTrue();
    }

    /** No renewal was answered before the maximum hold time was over. */
    @Test
    void fault424_retryDoesNotExtendHoldPastMaxHold() {
        LockHandle limited = engine.manager(ManagerDefaults.STANDARD)
                .lock("b", LockOptions.DEFAULTS.withLease(LEASE).withMaxHold(Duration.ofSeconds(12))).acquire();
        for (int second = 1; second <= 28; second++) {
            time.advance(Duration.ofSeconds(1));
            if (second <= 12) {
                backend.asked.clear();
            }
            answerAll();
        }
        assertThat(limited.isValid()).isFalse();
        assertThat(hold.isValid()).isTrue();
    }

    @Test
    void fault303_recheckDetectsLossOfUnrenewedHold() {
        LockHandle once = engine.manager(ManagerDefaults.STANDARD)
                .lock("b", LockOptions.DEFAULTS.withLease(LEASE).withRenew(false)).acquire();
        backend.forget("b");
        engine.recheck();
        answerAll();
        assertThat(once.isValid()).isFalse();
    }

    @Test
    void fault303_unrenewedHoldCanBeExtendedAfterRecheck() {
        LockHandle once = engine.manager(ManagerDefaults.STANDARD)
                .lock("b", LockOptions.DEFAULTS.withLease(LEASE).withRenew(false)).acquire();
        time.advance(Duration.ofSeconds(9));
        engine.recheck();
        answerAll();
        extend(once);
        answerAll();
        assertThat(once.validFor()).isGreaterThan(LEASE.multipliedBy(3));
        time.advance(Duration.ofSeconds(50));
        answerAll();
        assertThat(once.validFor()).isLessThan(LEASE.multipliedBy(3));
    }

    private void answerAll() {
        soon();
        while (!backend.asked.isEmpty()) {
            backend.asked.poll().answer();
        }
    }

    /** Its answer may be for either lease, so the hold is counted, and renewed, as for the shorter one. */
    @Test
    void extendingAnotherLockMeanwhileKeepsThisHold() {
        LockHandle other = engine.manager(ManagerDefaults.STANDARD).lock("b", LockOptions.DEFAULTS.withLease(LEASE)).acquire();
        extend(hold);
        SlowAnswers.Asked first = backend.asked.poll();
        time.advance(Duration.ofMillis(1));
        extend(other);
        first.answer();
        for (int second = 0; second < 2 * LEASE.toSeconds(); second++) {
            while (!backend.asked.isEmpty()) {
                backend.asked.poll().answer();
            }
            time.advance(Duration.ofSeconds(1));
        }
        assertThat(hold.isValid()).isTrue();
        other.close();
    }

    private static void extend(LockHandle handle) {
        handle.extendAsync(LEASE.multipliedBy(4)).subscribe().with(done -> {
        }, failed -> {
        });
    }

    /** A holder that extends its lease during a renewal has the shorter lease until the extension is answered. */
    @Test
    void renewalForShorterLeaseDoesNotConfirmLongerOne() {
        SlowAnswers.Asked before = renewalUnderWay();
        hold.extendAsync(LEASE.multipliedBy(10)).subscribe().with(ignored -> {
        });
        SlowAnswers.Asked longer = backend.asked.poll();
        before.answer();
        assertThat(hold.validFor()).isLessThan(LEASE);
        longer.answer();
        assertThat(hold.validFor()).isGreaterThan(LEASE.multipliedBy(9));
    }

    @Test
    void interruptedExtendThrowsLockInterruptedException() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> hold.extend(LEASE)).isInstanceOf(LockInterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(hold.isValid()).isTrue();
    }

    private SlowAnswers.Asked renewalUnderWay() {
        time.advance(LEASE.dividedBy(3));
        assertThat(backend.asked).hasSize(1);
        SlowAnswers.Asked asked = backend.asked.poll();
        assertThat(asked).isNotNull();
        time.advance(Duration.ofNanos(1));
        return asked;
    }

    private void soon() {
        time.advance(Duration.ofNanos(1));
    }

    /** Holds back each renewal until the test answers it. */
    private static final class SlowAnswers implements LockBackend {

        private final LocalBackend delegate;
        final ArrayDeque<Asked> asked = new ArrayDeque<>();
        Grant granted;
        BackendListener listener;

        SlowAnswers(LocalBackend delegate) {
            this.delegate = delegate;
        }

        final class Asked {
            private final List<? extends Grant> grants;
            private final UniEmitter<? super Renewal> emitter;

            Asked(List<? extends Grant> grants, UniEmitter<? super Renewal> emitter) {
                this.grants = grants;
                this.emitter = emitter;
            }

            void answer() {
                delegate.renew(grants).subscribe().with(emitter::complete);
            }
        }

        void forget(String name) {
            delegate.forceRelease(name).await().indefinitely();
        }

        @Override
        public String name() {
            return "slow";
        }

        @Override
        public void start(BackendListener listener, LockTime time) {
            this.listener = listener;
            // Not the engine: only renewals should find a loss
            delegate.start(new NoNews(), time);
        }

        @Override
        public Uni<Answer> acquire(Claim claim) {
            return delegate.acquire(claim).invoke(answer -> granted = (Grant) answer);
        }

        @Override
        public Uni<Renewal> renew(List<? extends Grant> grants) {
            return Uni.createFrom().emitter(emitter -> asked.add(new Asked(grants, emitter)));
        }

        @Override
        public Uni<Void> release(Grant grant) {
            return delegate.release(grant);
        }

        @Override
        public Uni<Optional<LockInfo>> inspect(String name) {
            return delegate.inspect(name);
        }

        @Override
        public Uni<Boolean> forceRelease(String name) {
            return delegate.forceRelease(name);
        }

        @Override
        public Set<Feature> features() {
            return delegate.features();
        }

        @Override
        public Duration operationTimeout() {
            return Duration.ofSeconds(2);
        }

        @Override
        public void close() {
            delegate.close();
        }
    }
}
