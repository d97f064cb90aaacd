package io.quarkiverse.lock.it.observability;

import java.sql.SQLException;
import java.util.Map;

import org.h2.tools.Server;

import io.quarkiverse.lock.testkit.server.FreePort;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;

/** A database that the application under test reaches over the network, so that it can become unreachable. */
public class DatabaseResource implements QuarkusTestResourceLifecycleManager {

    private final Database database = new Database();

    /** Its data is kept while nobody can reach it. */
    public static final class Database {

        private final int port = FreePort.find();
        private Server server;

        void start() {
            try {
                server = Server.createTcpServer("-tcpPort", Integer.toString(port), "-ifNotExists").start();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        void stop() {
            server.stop();
        }

        String url() {
            return "jdbc:h2:tcp://localhost:" + port + "/mem:it;DB_CLOSE_DELAY=-1";
        }
    }

    @Override
    public Map<String, String> start() {
        database.start();
        return Map.of("quarkus.datasource.jdbc.url", database.url());
    }

    @Override
    public void inject(TestInjector injector) {
        injector.injectIntoFields(database, new TestInjector.MatchesType(Database.class));
    }

    @Override
    public void stop() {
        database.stop();
    }
}
