package io.quarkiverse.lock.it.jpa;

import io.quarkiverse.lock.it.DatabaseResource;
import io.quarkiverse.lock.it.LockManagerChecks;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;

@QuarkusTest
@QuarkusTestResource(DatabaseResource.class)
class LockManagerTest extends LockManagerChecks {
}
