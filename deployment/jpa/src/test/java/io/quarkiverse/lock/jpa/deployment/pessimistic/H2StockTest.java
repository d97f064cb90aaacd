package io.quarkiverse.lock.jpa.deployment.pessimistic;

import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.jpa.deployment.Counter;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkus.test.QuarkusUnitTest;

/** On H2. */
@FullBuild
class H2StockTest extends StockContract {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideConfigKey("quarkus.lock.jpa.strategy", "pessimistic")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:stock;DB_CLOSE_DELAY=-1")
            .overrideRuntimeConfigKey("quarkus.hibernate-orm.schema-management.strategy", "drop-and-create")
            .withApplicationRoot(jar -> jar.addClasses(Stock.class, Counter.class, StockContract.class));

    @Override
    String sessionQuery() {
        return "SELECT SESSION_ID()";
    }

    @Override
    String kill(Object session) {
        return "CALL ABORT_SESSION(" + session + ")";
    }
}
