package io.quarkiverse.lock.sale;

import java.util.Map;

import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;

/** The same with the locks in a database inside the node. */
@FullBuild
@QuarkusTest
@TestProfile(SaleOnH2Test.OnH2.class)
class SaleOnH2Test extends SaleTest {

    public static class OnH2 implements QuarkusTestProfile {

        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("quarkus.lock.backend", "jpa", "quarkus.datasource.db-kind", "h2", "quarkus.datasource.jdbc.url",
                    "jdbc:h2:mem:sale;DB_CLOSE_DELAY=-1", "quarkus.lock.jpa.create-table", "true");
        }
    }
}
