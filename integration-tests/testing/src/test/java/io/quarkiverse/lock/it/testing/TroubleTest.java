package io.quarkiverse.lock.it.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.test.TestLocks;
import io.quarkus.test.junit.QuarkusTest;

/** What {@code quarkus-lock-test} offers to users' tests. */
@QuarkusTest
class TroubleTest {

    @Inject
    TestLocks locks;

    @Inject
    LockManager manager;

    @Inject
    Payments payments;

    private final CountDownLatch gate = new CountDownLatch(1);

    @AfterEach
    void noTrouble() {
        gate.countDown();
        locks.endBusy();
    }

    @Test
    void paymentFailsWhileOrderIsBusy() throws Throwable {
        try (LockHandle other = locks.busy("order-42")) {
            var paying = inBackground(() -> payments.pay("42", () -> "paid"));
            locks.awaitWaiting("order-42");
            assertThat(paying).isNotDone();
            locks.advance(Duration.ofSeconds(5)); // the length of its wait
            assertThatThrownBy(() -> result(paying)).isInstanceOf(LockBusyException.class)
                    .hasMessageContaining("another node");
            locks.advance(Duration.ofHours(1));
            assertThat(other.isValid()).as("the other node renews").isTrue();
            assertThat(manager.lock("order-42").tryAcquire(Duration.ZERO)).isEmpty();
        }
        assertThat(payments.pay("42", () -> "paid")).isEqualTo("paid");
    }

    @Test
    void continuesAfterTheOtherNodeDies() throws Throwable {
        locks.busy("order-43", LockOptions.DEFAULTS.withLease(Duration.ofSeconds(4)).withRenew(false));
        var paying = inBackground(() -> payments.pay("43", () -> "paid"));
        locks.awaitWaiting("order-43");
        locks.advance(Duration.ofSeconds(1));
        assertThat(paying).isNotDone();
        locks.advance(Duration.ofSeconds(3));
        assertThat(result(paying)).isEqualTo("paid");
    }

    @Test
    void fault328_waitersBehindLocalHolderAreSeen() throws Throwable {
        var first = inBackground(() -> payments.pay("48", this::untilOpened));
        locks.awaitHeld("order-48");
        var second = inBackground(() -> payments.pay("48", () -> "paid"));
        locks.awaitWaiting("order-48");
        assertThat(second).isNotDone();
        gate.countDown();
        assertThat(result(first)).isEqualTo("opened");
        assertThat(result(second)).isEqualTo("paid");
    }

    @Test
    void lostLockFailsTheCall() throws Exception {
        var paying = inBackground(() -> payments.pay("44", this::untilOpened));
        locks.awaitHeld("order-44");
        locks.lose("order-44");
        assertThatThrownBy(() -> locks.assertHeld("order-44")).isInstanceOf(AssertionError.class);
        locks.assertFree("order-44");
        gate.countDown();
        assertThatThrownBy(() -> result(paying)).isInstanceOf(LockLostException.class).hasMessageContaining("order-44");
    }

    @Test
    void keepsItsLockDuringLongWork() throws Throwable {
        var paying = inBackground(() -> payments.pay("45", this::untilOpened));
        locks.awaitHeld("order-45");
        locks.advance(Duration.ofDays(1));
        locks.assertHeld("order-45");
        gate.countDown();
        assertThat(result(paying)).isEqualTo("opened");
    }

    @Test
    void losesLockWithoutRenewal() throws Exception {
        var refunding = inBackground(() -> payments.refund("46", this::untilOpened));
        locks.awaitHeld("order-46");
        locks.advance(Duration.ofSeconds(5));
        locks.assertHeld("order-46");
        locks.advance(Duration.ofSeconds(6));
        assertThatThrownBy(() -> locks.assertHeld("order-46")).isInstanceOf(AssertionError.class);
        assertThat(locks.busy("order-46").isValid()).isTrue();
        gate.countDown();
        assertThatThrownBy(() -> result(refunding)).isInstanceOf(LockLostException.class);
    }

    @Test
    void assertionsWorkFromAnyThread() throws Exception {
        assertThatThrownBy(() -> locks.assertHeld("order-47")).isInstanceOf(AssertionError.class)
                .hasMessageContaining("'order-47'").hasMessageContaining("free");
        payments.pay("47", () -> {
            locks.assertHeld("order-47");
            CompletableFuture.runAsync(() -> locks.assertHeld("order-47")).get(10, TimeUnit.SECONDS);
            assertThatThrownBy(() -> locks.assertFree("order-47")).isInstanceOf(AssertionError.class);
            assertThatThrownBy(() -> locks.busy("order-47")).isInstanceOf(AssertionError.class)
                    .hasMessageContaining("order-47");
            return "paid";
        });
        locks.assertFree("order-47");
        locks.busy("order-47");
        assertThatThrownBy(() -> locks.assertHeld("order-47")).as("another node holds it")
                .isInstanceOf(AssertionError.class).hasMessageContaining("another node");
        assertThatThrownBy(() -> locks.lose("order-47")).isInstanceOf(AssertionError.class);
        locks.endBusy();
        locks.assertFree("order-47");
    }

    @Test
    void keptNameCountsAsFree() {
        payments.remind("49");
        assertThat(manager.inspect("order-49")).as("kept for the next caller").isPresent();
        locks.assertFree("order-49");
    }

    @Test
    void keptNameCanBeMadeBusy() {
        payments.remind("50");
        assertThat(manager.inspect("order-50")).as("kept for the next caller").isPresent();
        LockHandle other = locks.busy("order-50");
        assertThat(other.isValid()).isTrue();
        assertThatThrownBy(() -> locks.busy("order-50")).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> locks.assertFree("order-50")).isInstanceOf(AssertionError.class);
        assertThat(other.isReleaseRequested()).as("no holder is asked to release it").isFalse();
    }

    @Test
    void otherNodeCanBeReader() {
        locks.busy("catalog", LockOptions.DEFAULTS.withMode(LockMode.SHARED));
        LockOptions reading = LockOptions.DEFAULTS.withMode(LockMode.SHARED);
        try (LockHandle reader = manager.lock("catalog", reading).tryAcquire(Duration.ZERO).orElseThrow()) {
            locks.assertHeld("catalog");
            assertThat(manager.lock("catalog").tryAcquire(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    void timeCannotGoBack() {
        assertThatThrownBy(() -> locks.advance(Duration.ofSeconds(-1))).isInstanceOf(IllegalArgumentException.class);
    }

    private String untilOpened() throws InterruptedException {
        assertThat(gate.await(20, TimeUnit.SECONDS)).isTrue();
        return "opened";
    }

    private static CompletableFuture<String> inBackground(Callable<String> call) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return call.call();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static String result(CompletableFuture<String> call) throws Throwable {
        try {
            return call.get(10, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause();
        }
    }
}
