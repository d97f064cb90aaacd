package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.jpa.schema.Schema;
import io.quarkiverse.lock.jpa.table.Statements;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.MariaDbServer;

/** A server that may read a whole small table to find some of its rows, and locks and waits for what it reads. */
@FullBuild
class MariaDbRowsByKeyTest {

    private static final int WANTED = 40;
    /** The wanted names, padded to a size for which there are statements. */
    private static final int SIZE = 64;
    private static final List<String> OTHERS = List.of("others-1", "others-2", "others-3");

    private static MariaDbServer server;
    private static Statements statements;

    @BeforeAll
    static void start() throws SQLException {
        server = Databases.prepared(MariaDbServer.start());
        try (AgroalDataSource pool = Databases.pool(server, server.url(), 1)) {
            statements = LockDatabase.of(pool, Databases.sessions("mariadb"), null, Databases.OPTIONS).statements();
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void empty() throws SQLException {
        execute("DELETE FROM quarkus_lock", "DELETE FROM quarkus_lock_claim");
    }

    private static void execute(String... commands) throws SQLException {
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            for (String command : commands) {
                statement.execute(command);
            }
        }
    }

    private static void addName(String id) throws SQLException {
        execute("INSERT INTO quarkus_lock (id, name, format, fence, ticket, token, since, expires, shared_until, queue_until) "
                + "VALUES ('" + id + "', 'name', 1, 1, 0, 'token', 0, " + inAnHour() + ", 0, 0)");
    }

    private static void addClaim(String id, String token) throws SQLException {
        addClaim(id, token, inAnHour());
    }

    private static void addClaim(String id, String token, String expires) throws SQLException {
        execute("INSERT INTO quarkus_lock_claim (id, token, kind, lock_mode, lim, ticket, since, expires, fence) VALUES ('" + id
                + "', '" + token + "', 'H', 'S', 0, 0, 0, " + expires + ", 1)");
    }

    private static String inAnHour() {
        return server.nowMicros() + " + 3600000000";
    }

    private static String id(int i) {
        return "id-%02d".formatted(i);
    }

    private static Stream<String> ids() {
        return IntStream.range(0, SIZE).mapToObj(i -> id(Math.min(i, WANTED - 1)));
    }

    private static Stream<String> tokens() {
        return ids().map(id -> "token");
    }

    private static Object[] parameters(Stream<?>... parts) {
        return Arrays.stream(parts).flatMap(part -> part).toArray();
    }

    @Test
    @Fault(534)
    void fault534_lockedRowDoesNotBlockStatementsOnOtherNames() throws Exception {
        for (int i = 0; i < WANTED; i++) {
            addName(id(i));
            addClaim(id(i), "token");
        }
        for (String other : OTHERS) {
            addName(other);
            addClaim(other, "token");
        }
        Map<String, Object[]> all = new LinkedHashMap<>();
        all.put(statements.renew(SIZE), parameters(Stream.of(1L, 1L), ids(), tokens()));
        all.put(statements.renewAsked(SIZE), parameters(Stream.of(1L, 1L), ids(), tokens()));
        all.put(statements.renewSharers(SIZE), parameters(Stream.of(1L), ids(), tokens()));
        all.put(statements.sharedUntil(SIZE), parameters(ids()));
        all.put(statements.keepPlaces(SIZE), parameters(Stream.of(1L), ids().flatMap(id -> Stream.of(id, "token"))));
        all.put(statements.purge(SIZE), parameters(ids(), Stream.of(1L)));
        assertThat(heldUp(all)).isEmpty();
    }

    @Test
    @Fault(534)
    void fault534_lockedRowDoesNotBlockPurgeOfOtherDeadClaims() throws Exception {
        for (int i = 0; i < WANTED; i++) {
            addClaim(id(i), "token", "0");
        }
        for (String other : OTHERS) {
            addName(other);
            addClaim(other, "token");
        }
        assertThat(heldUp(Map.of(statements.purgeClaims(SIZE), parameters(ids())))).isEmpty();
    }

    @Test
    @Fault(534)
    void fault534_lockedClaimDoesNotBlockStatementsOnAnotherName() throws Exception {
        addName("wanted");
        for (int i = 0; i < WANTED; i++) {
            addClaim("wanted", "token-" + i);
        }
        for (String other : OTHERS) {
            addName(other);
            addClaim(other, "token");
        }
        assertThat(heldUp(Map.of(statements.askSharers, parameters(Stream.of("wanted")),
                statements.dropHolders, parameters(Stream.of("wanted")),
                statements.dropExpired, parameters(Stream.of("wanted", 1L, "token"))))).isEmpty();
    }

    /** A view has the columns and keys of its table, but no statement can name those keys. */
    @Test
    void viewIsRejectedAtStartup() throws Exception {
        refusesViews(server, server.url());
        var mySql = new ConnectorJ(server);
        refusesViews(mySql, mySql.url());
        refusesViews(mySql, mySql.url() + "?databaseTerm=SCHEMA");
    }

    private static void refusesViews(DatabaseServer client, String url) throws SQLException {
        try (AgroalDataSource pool = Databases.pool(client, url, 2)) {
            var schema = new Schema(LockDatabase.of(pool, Databases.sessions("mariadb"), null, Databases.OPTIONS));
            assertThat(schema.check()).isTrue();
            for (String table : List.of("quarkus_lock", "quarkus_lock_claim")) {
                execute("RENAME TABLE " + table + " TO renamed", "CREATE VIEW " + table + " AS SELECT * FROM renamed");
                try {
                    assertThatThrownBy(schema::check).as(url).isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining(table + " (quarkus.datasource.*) is a view");
                } finally {
                    execute("DROP VIEW " + table, "RENAME TABLE renamed TO " + table);
                }
            }
            assertThat(schema.check()).isTrue();
        }
    }

    /** At the server's default isolation level, used by single statements, and at that of transactions. */
    private static List<String> heldUp(Map<String, Object[]> all) throws SQLException {
        List<String> heldUp = new ArrayList<>();
        try (Connection other = server.connect(); Statement lock = other.createStatement()) {
            other.setAutoCommit(false);
            for (String table : List.of("quarkus_lock", "quarkus_lock_claim")) {
                for (String id : OTHERS) {
                    lock.executeQuery("SELECT 1 FROM " + table + " FORCE INDEX (PRIMARY) WHERE id = '" + id + "' FOR UPDATE")
                            .close();
                }
            }
            for (int level : new int[] { Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_READ_COMMITTED }) {
                for (var each : all.entrySet()) {
                    SQLException failure = attempt(level, each.getKey(), each.getValue());
                    if (failure != null) {
                        heldUp.add(failure.getMessage() + ", level " + level + ": " + each.getKey());
                    }
                }
            }
            other.rollback();
        }
        return heldUp;
    }

    private static SQLException attempt(int level, String sql, Object[] parameters) throws SQLException {
        try (Connection connection = server.connect(); Statement settings = connection.createStatement()) {
            settings.execute("SET innodb_lock_wait_timeout = 1");
            connection.setTransactionIsolation(level);
            connection.setAutoCommit(false);
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < parameters.length; i++) {
                    statement.setObject(i + 1, parameters[i]);
                }
                statement.executeUpdate();
                return null;
            } catch (SQLException e) {
                return e;
            } finally {
                connection.rollback();
            }
        }
    }
}
