package io.quarkiverse.lock.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Spin;
import io.quarkiverse.lock.spi.Claim;

@Timeout(120)
class OngoingWithdrawalsTest {

    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration PAUSE = Duration.ofSeconds(2);

    private final OngoingWithdrawals withdrawals = new OngoingWithdrawals();
    private final Claim claim = new Claim("name", 1, 2, LockMode.EXCLUSIVE, 0, TimeUnit.SECONDS.toNanos(30), true);

    @Test
    void doesNotWaitWithoutOngoingWithdrawals() {
        withdrawals.begin();
        withdrawals.end();
        assertThat(waited(LONG)).isLessThan(LONG);
    }

    @Test
    void waitsForTheLastWithdrawal() throws Exception {
        withdrawals.begin();
        withdrawals.begin();
        var waited = new CompletableFuture<Duration>();
        Thread waiter = new Thread(() -> waited.complete(waited(LONG)));
        waiter.start();
        Spin.until("it waits", () -> waiter.getState() == Thread.State.TIMED_WAITING || !waiter.isAlive());
        withdrawals.end();
        assertThat(waited(SHORT)).as("one is left").isGreaterThanOrEqualTo(SHORT);
        assertThat(waited).isNotDone();
        withdrawals.end();
        assertThat(waited.get(2, TimeUnit.MINUTES)).isLessThan(LONG);
    }

    @Test
    void waitsNoLongerThanAllowed() {
        withdrawals.begin();
        assertThat(waited(SHORT)).isBetween(SHORT, LONG);
    }

    @Test
    void interruptEndsTheWaitAndIsPreserved() {
        withdrawals.begin();
        Thread.currentThread().interrupt();
        assertThat(waited(LONG)).isLessThan(LONG);
        assertThat(Thread.interrupted()).isTrue();
    }

    private Duration waited(Duration atMost) {
        long from = System.nanoTime();
        withdrawals.await(atMost);
        return Duration.ofNanos(System.nanoTime() - from);
    }

    @Test
    void failedAttemptIsRepeatedAfterAPause() {
        var retries = withdrawals.retries(claim, PAUSE);
        for (int i = 0; i < 20; i++) {
            assertThat(retries.next(new Exception("cut off"), false).getAsLong()).isBetween(1L, PAUSE.toNanos());
        }
    }

    @Test
    void uselessAttemptIsNotRepeated() {
        assertThat(withdrawals.retries(claim, PAUSE).next(new Exception("not allowed"), true)).isEmpty();
    }

    @Test
    void nothingIsRepeatedOnceClosed() {
        var retries = withdrawals.retries(claim, PAUSE);
        withdrawals.close();
        assertThat(retries.next(new Exception("cut off"), false)).isEmpty();
    }
}
