package io.quarkiverse.lock.spi.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Claim;

@Timeout(120)
class OngoingWithdrawalsTest {

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration PAUSE = Duration.ofSeconds(2);

    private final OngoingWithdrawals withdrawals = new OngoingWithdrawals();
    private final Claim claim = new Claim("name", 1, 2, LockMode.EXCLUSIVE, 0, TimeUnit.SECONDS.toNanos(30), true);

    @Test
    void doesNotWaitWithoutOngoingWithdrawals() {
        withdrawals.begin();
        withdrawals.end();
        withdrawals.await(LONG);
    }

    @Test
    void waitsForTheLastWithdrawal() throws Exception {
        withdrawals.begin();
        withdrawals.begin();
        var waited = new CompletableFuture<Void>();
        Thread waiter = new Thread(() -> {
            withdrawals.await(LONG);
            waited.complete(null);
        });
        waiter.start();
        while (waiter.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        withdrawals.end();
        assertThatThrownBy(() -> waited.get(100, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        withdrawals.end();
        waited.get();
    }

    @Test
    void waitsNoLongerThanAllowed() {
        withdrawals.begin();
        withdrawals.await(Duration.ofMillis(1));
    }

    @Test
    void interruptEndsTheWaitAndIsPreserved() {
        withdrawals.begin();
        Thread.currentThread().interrupt();
        withdrawals.await(LONG);
        assertThat(Thread.interrupted()).isTrue();
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
