package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.quarkiverse.lock.FencingGuard;
import io.quarkiverse.lock.StaleTokenException;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.MariaDbServer;

/**
 * {@link FencingGuard} where an {@code UPDATE} sees all commits, a {@code SELECT} sees only the snapshot of the transaction's
 * first read, and the driver may count only rows that change.
 */
@Timeout(180)
@FullBuild
class MariaDbFencingGuardTest {

    private static final FencingGuard GUARD = new FencingGuard();

    private static MariaDbServer server;

    @BeforeAll
    static void start() {
        server = MariaDbServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** Both drivers, each with its defaults, and without counting rows that match but do not change. */
    static Stream<String> urls() {
        DatabaseServer asMySql = new ConnectorJ(server);
        return Stream.of(server, asMySql).map(DatabaseServer::url)
                .flatMap(url -> Stream.of(url, url + (url.contains("?") ? "&" : "?") + "useAffectedRows=true"));
    }

    @ParameterizedTest
    @MethodSource("urls")
    @Fault(470)
    void fault470_sameTokenMayBeCheckedAgain(String url) throws SQLException {
        try (Connection connection = withTable(url)) {
            GUARD.check(connection, "stock", 5);
            GUARD.check(connection, "stock", 5);
            connection.commit();
            GUARD.check(connection, "stock", 5);
            connection.commit();
            assertThatThrownBy(() -> GUARD.check(connection, "stock", 4)).isInstanceOf(StaleTokenException.class)
                    .hasMessageContaining("4 is older than 5");
        }
    }

    @ParameterizedTest
    @MethodSource("urls")
    @Fault(470)
    void fault470_tokenOfLaterHolderCountsDespiteSnapshot(String url) throws SQLException {
        for (long seen : new long[] { 3, 5 }) {
            try (Connection connection = withTable(url); Connection later = connect(url)) {
                GUARD.check(later, "stock", seen);
                later.commit();
                read(connection);
                GUARD.check(later, "stock", 7);
                GUARD.check(later, "new", 7);
                later.commit();
                for (String resource : new String[] { "stock", "new" }) {
                    assertThatThrownBy(() -> GUARD.check(connection, resource, 5)).as(resource)
                            .isInstanceOf(StaleTokenException.class).hasMessageContaining("5 is older than 7");
                    assertThatCode(() -> GUARD.check(connection, resource, 7)).doesNotThrowAnyException();
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("urls")
    void resourcesDifferByCaseAndTrailingBlanks(String url) throws SQLException {
        try (Connection connection = withTable(url)) {
            GUARD.check(connection, "stock", 5);
            for (String other : new String[] { "Stock", "stock ", "stock\t" }) {
                assertThatCode(() -> GUARD.check(connection, other, 4)).as("'%s'", other).doesNotThrowAnyException();
            }
        }
    }

    /** Takes the snapshot of the transaction. */
    private static void read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeQuery("SELECT * FROM quarkus_lock_fence").close();
        }
    }

    private static Connection withTable(String url) throws SQLException {
        Connection connection = connect(url);
        try (Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS quarkus_lock_fence");
            statement.execute("CREATE TABLE quarkus_lock_fence (resource VARCHAR(255) CHARACTER SET utf8mb4 "
                    + "COLLATE utf8mb4_nopad_bin PRIMARY KEY, token BIGINT NOT NULL)");
        }
        connection.commit();
        return connection;
    }

    private static Connection connect(String url) throws SQLException {
        Connection connection = DriverManager.getConnection(url, server.user(), server.password());
        connection.setAutoCommit(false);
        return connection;
    }
}
