package io.quarkiverse.lock.it.redis;

import io.quarkus.test.junit.QuarkusIntegrationTest;

/** The same against the packaged application. */
@QuarkusIntegrationTest
class NameIT extends NameTest {
}
