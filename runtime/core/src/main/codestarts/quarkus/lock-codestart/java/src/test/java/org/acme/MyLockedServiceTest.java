package org.acme;

import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;

@QuarkusTest
class MyLockedServiceTest {

    @Inject
    MyLockedService service;

    @Test
    void laterCallsHaveGreaterTokens() {
        long first = service.pay("7");
        assertTrue(service.pay("7") > first);
    }
}
