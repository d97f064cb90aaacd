package io.quarkiverse.lock.it.reactive;

import io.quarkus.test.junit.QuarkusIntegrationTest;

/** The same against the packaged application. */
@QuarkusIntegrationTest
class AccountIT extends AccountTest {
}
