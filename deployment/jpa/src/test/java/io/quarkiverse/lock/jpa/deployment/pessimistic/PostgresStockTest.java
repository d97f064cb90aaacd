package io.quarkiverse.lock.jpa.deployment.pessimistic;

import java.util.Map;

import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.jpa.deployment.Counter;
import io.quarkiverse.lock.testkit.server.PostgresServer;
import io.quarkus.test.QuarkusUnitTest;

/** On PostgreSQL. */
class PostgresStockTest extends StockContract {

    private static final PostgresServer SERVER = PostgresServer.start(Map.of());

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.db-kind", "postgresql")
            .overrideConfigKey("quarkus.lock.jpa.strategy", "pessimistic")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.url", SERVER.url())
            .overrideRuntimeConfigKey("quarkus.datasource.username", SERVER.user())
            .overrideRuntimeConfigKey("quarkus.datasource.password", SERVER.password().isEmpty() ? "none" : SERVER.password())
            .overrideRuntimeConfigKey("quarkus.hibernate-orm.schema-management.strategy", "drop-and-create")
            .withApplicationRoot(jar -> jar.addClasses(Stock.class, Counter.class, StockContract.class))
            .setAfterAllCustomizer(SERVER::close);

    @Override
    String sessionQuery() {
        return "SELECT pg_backend_pid()";
    }

    @Override
    String kill(Object session) {
        return "SELECT pg_terminate_backend(" + session + ")";
    }
}
