package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.jpa.schema.Schema;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.H2Database;
import io.quarkiverse.lock.testkit.server.MariaDbServer;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** Tables with all columns, but without mutual exclusion. */
@Timeout(180)
class UnsafeTablesTest {

    private static final List<String> TABLES = List.of("quarkus_lock", "quarkus_lock_claim");

    private static void execute(DatabaseServer server, String sql) throws SQLException {
        try (var connection = server.connect(); var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static Schema schema(DatabaseServer server, AgroalDataSource pool) {
        return new Schema(LockDatabase.of(pool, Databases.sessions(server.kind()), null, Databases.OPTIONS));
    }

    /** As a copy of the table has none. */
    @Test
    @Fault(366)
    void fault366_tableWithoutPrimaryKeyIsRejected() throws Exception {
        try (var server = Databases.withTables(new H2Database())) {
            refusesWithoutKey(server, "DROP PRIMARY KEY");
        }
    }

    @Test
    @Fault(366)
    @FullBuild
    void fault366_tableWithoutPrimaryKeyIsRejectedOnPostgres() throws Exception {
        try (var server = Databases.withTables(PostgresServer.start(Map.of()))) {
            for (String table : TABLES) {
                execute(server, "ALTER TABLE " + table + " RENAME CONSTRAINT " + table + "_pkey TO " + table + "_key");
            }
            for (String table : TABLES) {
                refusesWithoutKey(server, table, "DROP CONSTRAINT " + table + "_key");
            }
            execute(server, "CREATE SCHEMA other");
            execute(server, "CREATE TABLE other.quarkus_lock (name VARCHAR(10) PRIMARY KEY)");
            try (AgroalDataSource pool = Databases.pool(server, server.url(), 2)) {
                assertThat(schema(server, pool).check()).as("next to another application's table").isTrue();
            }
        }
    }

    private static void refusesWithoutKey(DatabaseServer server, String drop) throws SQLException {
        for (String table : TABLES) {
            refusesWithoutKey(server, table, drop);
        }
    }

    private static void refusesWithoutKey(DatabaseServer server, String table, String drop) throws SQLException {
        try (AgroalDataSource pool = Databases.pool(server, server.url(), 2)) {
            Schema schema = schema(server, pool);
            assertThat(schema.check()).isTrue();
            String key = table.endsWith("claim") ? "(id, token)" : "(id)";
            execute(server, "ALTER TABLE " + table + " " + drop);
            assertThatThrownBy(schema::check).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("ALTER TABLE " + table + " ADD PRIMARY KEY " + key);
            execute(server, "ALTER TABLE " + table + " ADD PRIMARY KEY (" + (table.endsWith("claim") ? "token" : "name") + ")");
            assertThatThrownBy(schema::check).as("another key").isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(table).hasMessageContaining("PRIMARY KEY " + key);
            execute(server, "ALTER TABLE " + table + " DROP " + (server.kind().equals("h2") ? "PRIMARY KEY"
                    : "CONSTRAINT " + table + "_pkey"));
            execute(server, "ALTER TABLE " + table + " ADD CONSTRAINT " + table + "_key PRIMARY KEY " + key);
            assertThat(schema.check()).isTrue();
        }
    }

    /** Such an engine locks no row for longer than a statement. */
    @Test
    @Fault(366)
    @FullBuild
    void fault366_nonTransactionalEngineIsRejected() throws Exception {
        try (var server = Databases.withTables(MariaDbServer.start());
                AgroalDataSource pool = Databases.pool(server, server.url(), 2)) {
            Schema schema = schema(server, pool);
            assertThat(schema.check()).isTrue();
            for (String table : TABLES) {
                for (String engine : List.of("MyISAM", "Aria", "MEMORY")) {
                    execute(server, "ALTER TABLE " + table + " ENGINE=" + engine);
                    assertThatThrownBy(schema::check).as("%s with %s", table, engine)
                            .isInstanceOf(IllegalStateException.class).hasMessageContaining(engine)
                            .hasMessageContaining("ALTER TABLE " + table + " ENGINE=InnoDB");
                }
                execute(server, "ALTER TABLE " + table + " ENGINE=InnoDB");
            }
            assertThat(schema.check()).isTrue();
            execute(server, "ALTER TABLE quarkus_lock_claim DROP PRIMARY KEY");
            assertThatThrownBy(schema::check).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("ADD PRIMARY KEY (id, token)");
        }
    }

    /** Drivers can be told to call a database a schema instead of a catalog. */
    @Test
    @Fault(419)
    @FullBuild
    void fault419_nonTransactionalEngineIsRejectedForAnyCatalogTerm() throws Exception {
        try (var server = Databases.withTables(MariaDbServer.start())) {
            refusesMyIsam(server, server.url() + "?useCatalogTerm=SCHEMA");
            var mySql = new ConnectorJ(server);
            refusesMyIsam(mySql, mySql.url());
            refusesMyIsam(mySql, mySql.url() + "?databaseTerm=SCHEMA");
        }
    }

    private static void refusesMyIsam(DatabaseServer server, String url) throws SQLException {
        try (AgroalDataSource pool = Databases.pool(server, url, 2)) {
            Schema schema = schema(server, pool);
            assertThat(schema.check()).as(url).isTrue();
            for (String table : TABLES) {
                execute(server, "ALTER TABLE " + table + " ENGINE=MyISAM");
                assertThatThrownBy(schema::check).as(url).isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("ALTER TABLE " + table + " ENGINE=InnoDB");
                execute(server, "ALTER TABLE " + table + " ENGINE=InnoDB");
            }
            execute(server, "ALTER TABLE quarkus_lock DROP PRIMARY KEY");
            assertThatThrownBy(schema::check).as(url).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("ADD PRIMARY KEY (id)");
            execute(server, "ALTER TABLE quarkus_lock ADD PRIMARY KEY (id)");
        }
    }

    /** InnoDB then refuses every write at READ COMMITTED: all contended, shared and limited locks would fail. */
    @Test
    @Fault(463)
    @FullBuild
    void fault463_statementBinlogFormatIsRejected() throws Exception {
        try (var server = Databases.withTables(MariaDbServer.start("--log-bin", "--binlog-format=STATEMENT"));
                AgroalDataSource pool = Databases.pool(server, server.url(), 2)) {
            Schema schema = schema(server, pool);
            assertThatThrownBy(schema::check).isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("binlog_format", "ROW", "MIXED", "quarkus.datasource.*");
            execute(server, "SET GLOBAL binlog_format = MIXED");
            try (AgroalDataSource later = Databases.pool(server, server.url(), 2)) {
                assertThat(schema(server, later).check()).isTrue();
            }
        }
    }

    /** A statement that has waited for a row could not notice that it is late, and would still grant the lock. */
    @Test
    @Fault(520)
    @FullBuild
    void fault520_serverWithFrozenClockIsRejected() throws Exception {
        try (var server = Databases.withTables(MariaDbServer.start("--sysdate-is-now"));
                AgroalDataSource pool = Databases.pool(server, server.url(), 2)) {
            Schema schema = schema(server, pool);
            assertThatThrownBy(schema::checkForLeases).isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("sysdate-is-now", "quarkus.datasource.*");
            assertThat(schema.check()).as("for locks that end with their transaction").isTrue();
        }
        try (var server = Databases.withTables(MariaDbServer.start());
                AgroalDataSource pool = Databases.pool(server, server.url(), 2)) {
            assertThat(schema(server, pool).checkForLeases()).as("without it").isTrue();
        }
    }

    /** A proxy may not know SLEEP, which says nothing about the server. */
    @Test
    @Fault(520)
    @FullBuild
    void fault520_serverWithUnreadableClockIsAccepted() throws Exception {
        try (var server = Databases.withTables(MariaDbServer.start());
                AgroalDataSource pool = Databases.pool(server, server.url(), 2)) {
            assertThat(withoutClock(pool, new SQLException("FUNCTION SLEEP does not exist", "42000", 1305)).checkForLeases())
                    .isTrue();
            assertThat(withoutClock(pool, new SQLException("Connection reset", "08006")).checkForLeases())
                    .as("the check is deferred").isFalse();
        }
    }

    private static Schema withoutClock(AgroalDataSource pool, SQLException failure) {
        return new Schema(LockDatabase.of(Intercepted.statements(pool, sql -> {
            if (sql.contains("SYSDATE")) {
                throw failure;
            }
        }), Databases.sessions("mariadb"), null, Databases.OPTIONS));
    }
}
