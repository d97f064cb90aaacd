package io.quarkiverse.lock.it.redis;

import io.quarkiverse.lock.it.BusyChecks;
import io.quarkiverse.lock.it.RedisResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;

@QuarkusTest
@QuarkusTestResource(RedisResource.class)
class BusyTest extends BusyChecks {
}
