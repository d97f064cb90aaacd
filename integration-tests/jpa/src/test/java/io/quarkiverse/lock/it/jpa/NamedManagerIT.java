package io.quarkiverse.lock.it.jpa;

import io.quarkus.test.junit.QuarkusIntegrationTest;

/** The same against the packaged application. */
@QuarkusIntegrationTest
class NamedManagerIT extends NamedManagerTest {
}
