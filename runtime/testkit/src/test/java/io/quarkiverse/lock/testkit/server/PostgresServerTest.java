package io.quarkiverse.lock.testkit.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;

import org.junit.jupiter.api.Test;

class PostgresServerTest {

    @Test
    void committedDataSurvivesARestart() throws SQLException {
        try (PostgresServer server = PostgresServer.start(Map.of("synchronous_commit", "on"))) {
            Connection before = server.connect();
            before.createStatement().execute("CREATE TABLE committed AS SELECT 7 AS n");
            server.restart();
            assertThat(before.isValid(1)).isFalse();
            try (Connection after = server.connect();
                    var row = after.createStatement().executeQuery("SELECT n FROM committed")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getInt(1)).isEqualTo(7);
            }
        }
    }
}
