package io.quarkiverse.lock.it.jpa;

import java.util.Map;

import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.MariaDbServer;
import io.quarkiverse.lock.testkit.server.PostgresServer;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;

/** A database of its own for the application under test: the kind that it was built for. H2 is inside the application. */
public class DatabaseResource implements QuarkusTestResourceLifecycleManager {

    private DatabaseServer server;

    @Override
    public Map<String, String> start() {
        switch (System.getProperty("lock.it.database", "h2")) {
            case "postgresql" -> server = PostgresServer.start(Map.of());
            case "mariadb" -> server = MariaDbServer.start();
            default -> {
                return Map.of();
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
