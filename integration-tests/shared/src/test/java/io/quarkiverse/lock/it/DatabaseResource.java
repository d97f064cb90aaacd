package io.quarkiverse.lock.it;

import java.util.Map;

import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.MariaDbServer;
import io.quarkiverse.lock.testkit.server.PostgresServer;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;

/** A database for the application under test, of the kind that it was built for. H2 is inside the application. */
public class DatabaseResource implements QuarkusTestResourceLifecycleManager {

    /** {@code postgresql}, {@code mariadb} or {@code h2}. */
    public static final String KIND = System.getProperty("lock.it.database", "postgresql");

    private DatabaseServer server;

    @Override
    public Map<String, String> start() {
        switch (KIND) {
            case "postgresql" -> server = PostgresServer.start(Map.of());
            case "mariadb" -> server = MariaDbServer.start();
            default -> {
                return Map.of("quarkus.datasource.jdbc.url", "jdbc:h2:mem:it;DB_CLOSE_DELAY=-1");
            }
        }
        return Map.of("quarkus.datasource.jdbc.url", server.url(), "quarkus.datasource.username", server.user(),
                "quarkus.datasource.password", server.password().isEmpty() ? "none" : server.password());
    }

    @Override
    public void stop() {
        if (server != null) {
            server.close();
        }
    }
}
