package org.acme;

import static org.junit.jupiter.api.Assertions.assertThrows;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.test.TestLocks;
import io.quarkus.test.junit.QuarkusTest;

@QuarkusTest
class LostInvoiceTest {

    @Inject
    TestLocks locks;

    @Inject
    Invoices invoices;

    @Test
    void lostLockFailsTheCall() {
        assertThrows(LockLostException.class,
                () -> invoices.send("44", () -> locks.lose("invoice-44"))); // <1>
    }
}
