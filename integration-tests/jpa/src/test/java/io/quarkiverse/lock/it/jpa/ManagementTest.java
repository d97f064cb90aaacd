package io.quarkiverse.lock.it.jpa;

import io.quarkiverse.lock.it.DatabaseResource;
import io.quarkiverse.lock.it.ManagementChecks;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

@QuarkusTest
@QuarkusTestResource(DatabaseResource.class)
@TestProfile(ManagementChecks.Operators.class)
class ManagementTest extends ManagementChecks {
}
