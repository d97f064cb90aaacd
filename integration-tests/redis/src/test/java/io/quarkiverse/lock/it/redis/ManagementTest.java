package io.quarkiverse.lock.it.redis;

import io.quarkiverse.lock.it.ManagementChecks;
import io.quarkiverse.lock.it.RedisResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

@QuarkusTest
@QuarkusTestResource(RedisResource.class)
@TestProfile(ManagementChecks.Operators.class)
class ManagementTest extends ManagementChecks {
}
