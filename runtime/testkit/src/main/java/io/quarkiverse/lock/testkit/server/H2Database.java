package io.quarkiverse.lock.testkit.server;

import java.sql.SQLException;
import java.util.UUID;

/** H2 in the memory of this JVM. Its driver has to be on the class path. */
public final class H2Database implements DatabaseServer {

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    @Override
    public String kind() {
        return "h2";
    }

    @Override
    public String host() {
        return "";
    }

    @Override
    public int port() {
        return 0;
    }

    @Override
    public String url(String host, int port) {
        return url;
    }

    @Override
    public String user() {
        return "sa";
    }

    @Override
    public String password() {
        return "";
    }

    @Override
    public String nowMicros() {
        return "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)";
    }

    @Override
    public void close() {
        try (var connection = connect(); var statement = connection.createStatement()) {
            statement.execute("SHUTDOWN IMMEDIATELY");
        } catch (SQLException e) {
            // It reports that it is ending
        }
    }
}
