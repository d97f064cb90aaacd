package io.quarkiverse.lock.it.observability;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class MetricsIT extends MetricsTest {
}
