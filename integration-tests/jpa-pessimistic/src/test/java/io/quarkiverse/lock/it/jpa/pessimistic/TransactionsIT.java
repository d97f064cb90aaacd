package io.quarkiverse.lock.it.jpa.pessimistic;

import io.quarkus.test.junit.QuarkusIntegrationTest;

/** The same against the packaged application. */
@QuarkusIntegrationTest
class TransactionsIT extends TransactionsTest {
}
