package org.acme;

import java.time.Duration;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.test.TestLocks;
import io.quarkus.test.junit.QuarkusTest;

@QuarkusTest
class InvoiceTimeTest {

    @Inject
    TestLocks locks;

    @Inject
    Invoices invoices;

    @Test
    void keepsItsLockDuringLongWork() {
        invoices.send("45", () -> {
            locks.advance(Duration.ofDays(1)); // <1>
            locks.assertHeld("invoice-45"); // <2>
        });
        locks.assertFree("invoice-45");
    }
}
