package org.acme;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.test.TestLocks;
import io.quarkus.test.junit.QuarkusTest;

@QuarkusTest
class BusyInvoiceTest {

    @Inject
    TestLocks locks;

    @Inject
    Invoices invoices;

    @Test
    void failsWhileAnotherNodeHoldsTheLock() {
        locks.busy("invoice-42"); // <1>
        var sending = CompletableFuture.runAsync(() -> invoices.send("42", () -> {
        }));
        locks.awaitWaiting("invoice-42"); // <2>
        locks.advance(Duration.ofSeconds(5)); // <3>
        var failure = assertThrows(ExecutionException.class, () -> sending.get(10, TimeUnit.SECONDS));
        assertInstanceOf(LockBusyException.class, failure.getCause());
    }

    @Test
    void continuesAfterTheOtherNodeDies() throws Exception {
        locks.busy("invoice-43", LockOptions.DEFAULTS.withLease(Duration.ofSeconds(4)).withRenew(false)); // <4>
        var sending = CompletableFuture.runAsync(() -> invoices.send("43", () -> {
        }));
        locks.awaitWaiting("invoice-43");
        locks.advance(Duration.ofSeconds(4));
        sending.get(10, TimeUnit.SECONDS);
    }

    @AfterEach
    void noNodeIsBusy() {
        locks.endBusy(); // <5>
    }
}
