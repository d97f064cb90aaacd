package io.quarkiverse.lock.it.devui;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import com.fasterxml.jackson.databind.JsonNode;

import io.quarkiverse.lock.testkit.server.PostgresServer;
import io.quarkus.test.QuarkusDevModeTest;

/** As {@link DevUITest}, with locks in a database. */
class DevUIOnDatabaseTest {

    private static final PostgresServer DATABASE = PostgresServer.start(Map.of());
    private static final DevApplication APPLICATION = DevApplication.onDatabase(DATABASE);

    @RegisterExtension
    static final QuarkusDevModeTest DEV_MODE = APPLICATION.start();

    @AfterAll
    static void stop() {
        DATABASE.close();
    }

    @Test
    void devUIShowsAndControlsLocks() throws Exception {
        try (JsonRpc jsonRpc = APPLICATION.jsonRpc()) {
            JsonNode managers = jsonRpc.call(LocksShown.OURS + "managers", Map.of());
            assertThat(LocksShown.find(managers, "name", LocksShown.DEFAULT).get("backend").asText()).isEqualTo("jpa");
            new LocksShown(APPLICATION, jsonRpc).showWhatHappensAndMakeItHappen();
            assertThat(rows("orders:a")).as("the lock shown was in the database").isOne();
        }
    }

    private static int rows(String name) throws SQLException {
        try (Connection connection = DATABASE.connect();
                ResultSet count = connection.createStatement()
                        .executeQuery("SELECT count(*) FROM quarkus_lock WHERE name = '" + name + "'")) {
            count.next();
            return count.getInt(1);
        }
    }
}
