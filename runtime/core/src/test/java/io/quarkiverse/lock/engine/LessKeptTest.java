package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;

/** A backend starts to keep its grants for less time, and says so: from then on, holders rely on no more than that. */
class LessKeptTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration LESS = Duration.ofSeconds(10);
    /** {@link #LESS} minus its margin. */
    private static final Duration LESS_VALID = Duration.ofSeconds(9);

    private final VirtualTime time = new VirtualTime();
    private final AnsweringBackend backend = new AnsweringBackend();
    private final LockEngine engine = LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run))
            .start();
    private LockHandle hold;
    private Changing grant;

    @BeforeEach
    void acquire() {
        var granted = engine.manager(ManagerDefaults.STANDARD).lock("a", LockOptions.DEFAULTS.withLease(LEASE))
                .acquireAsync().subscribeAsCompletionStage();
        grant = new Changing(backend.claim(), time.nanoTime());
        backend.answer(0, grant);
        hold = granted.join();
    }

    @AfterEach
    void close() {
        hold.close();
        engine.close();
    }

    @Test
    void shorterLeaseCountsFromLastConfirmation() {
        time.advance(Duration.ofSeconds(4));
        less();
        assertThat(hold.validFor()).isEqualTo(LESS_VALID.minusSeconds(4));
    }

    @Test
    void holdIsLostWhenShorterLeaseEnds() {
        time.advance(Duration.ofMillis(9_500)); // renewed after ten seconds
        less();
        assertThat(hold.isValid()).isFalse();
        assertThat(hold.lost().toCompletableFuture()).isDone();
    }

    @Test
    void renewalsUseTheShorterLease() {
        time.advance(Duration.ofSeconds(4));
        less();
        time.advance(Duration.ofNanos(1));
        assertThat(backend.renewed).as("confirmed at once").hasSize(1);
        assertThat(hold.validFor()).isBetween(LESS_VALID.minusMillis(1), LESS_VALID);
        time.advance(LESS.multipliedBy(3));
        assertThat(hold.isValid()).isTrue();
        assertThat(hold.validFor()).isLessThanOrEqualTo(LESS_VALID);
    }

    private void less() {
        grant.most = LESS.toNanos();
        backend.listener.suspect(grant);
    }

    private static final class Changing extends Grant {

        private long most = Long.MAX_VALUE;

        Changing(Claim claim, long sentAt) {
            super(claim, 1, sentAt);
        }

        @Override
        public long leaseNanos() {
            return Math.min(super.leaseNanos(), most);
        }
    }
}
