package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.transaction.TransactionIntegration;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.jpa.schema.Schema;
import io.quarkiverse.lock.jpa.table.LockClaimRow;
import io.quarkiverse.lock.jpa.table.LockNames;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import liquibase.Contexts;
import liquibase.LabelExpression;
import liquibase.Liquibase;
import liquibase.Scope;
import liquibase.changelog.RanChangeSet;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.resource.ClassLoaderResourceAccessor;

/** The migrations of the artifact, run by Flyway and Liquibase. */
abstract class MigrationContract {

    private static final String NAMESPACE = "migration";
    private static final String HISTORY = "quarkus_lock_history";
    private static final List<String> TABLES = List.of(LockRow.TABLE, LockClaimRow.TABLE);
    private static final long FENCE_AHEAD_OF_CLOCKS = 9_000_000_000_000_000L;

    private AgroalDataSource pool;
    private LockDatabase database;

    abstract DatabaseServer server();

    @BeforeEach
    void startWithoutTables() throws SQLException {
        pool = Databases.pool(server().kind(), server().url(), server().user(), server().password(), 4,
                TransactionIntegration.none(), LeaseContract.SOON);
        database = LockDatabase.of(pool, Databases.sessions(server().kind()), null, Databases.OPTIONS);
        clean();
    }

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    @Fault(116)
    void fault116_flywayRunsEachVersionOnce() throws Exception {
        execute("CREATE TABLE stock (id INTEGER PRIMARY KEY)"); // belongs to the application, whose migrations ran first
        Flyway flyway = flyway();
        assertThat(flyway.migrate().migrationsExecuted).isEqualTo(Schema.MIGRATIONS.size());
        assertThat(flyway.info().current().getVersion().getVersion()).isEqualTo("" + Schema.MIGRATIONS.size());
        makeRows();
        assertThat(flyway.migrate().migrationsExecuted).as("the second time").isZero();
        assertThatLocksGoOn();
    }

    @Test
    @Fault(116)
    void fault116_liquibaseRunsEachVersionOnce() throws Exception {
        liquibase(changes -> {
            changes.update(new Contexts());
            assertThat(changes.getDatabase().getRanChangeSetList()).hasSize(Schema.MIGRATIONS.size())
                    .extracting(RanChangeSet::getExecType).extracting(type -> type.value).containsOnly("EXECUTED");
            makeRows();
            assertThat(changes.listUnrunChangeSets(new Contexts(), new LabelExpression())).as("the second time").isEmpty();
            changes.update(new Contexts());
        });
        assertThatLocksGoOn();
    }

    @Test
    @Fault(116)
    void fault116_flywayToleratesExistingTables() throws Exception {
        new Schema(database).create();
        makeRows();
        flyway().migrate();
        assertThatLocksGoOn();
    }

    @Test
    @Fault(116)
    void fault116_liquibaseToleratesExistingTables() throws Exception {
        new Schema(database).create();
        makeRows();
        liquibase(changes -> {
            changes.update(new Contexts());
            assertThat(changes.getDatabase().getRanChangeSetList()).extracting(RanChangeSet::getExecType)
                    .extracting(type -> type.value).containsOnly("MARK_RAN");
        });
        assertThatLocksGoOn();
    }

    /** A new version must be added to all of them, or to none. */
    @Test
    @Fault(116)
    void fault116_migrationsMatchTablesCreatedByApplication() throws Exception {
        new Schema(database).create();
        SortedSet<String> byTheApplication = columns();
        assertThat(byTheApplication).hasSizeGreaterThan(20);
        clean();
        flyway().migrate();
        assertThat(columns()).as("by Flyway").isEqualTo(byTheApplication);
        clean();
        liquibase(changes -> changes.update(new Contexts()));
        assertThat(columns()).as("by Liquibase").isEqualTo(byTheApplication);
    }

    /** A name that nobody holds, and one that is held forever. */
    private void makeRows() throws SQLException {
        execute("INSERT INTO quarkus_lock (id, name, format, fence, ticket, since, expires, shared_until, queue_until) "
                + "VALUES ('" + new LockNames(NAMESPACE).id("free") + "', 'free', 1, " + FENCE_AHEAD_OF_CLOCKS
                + ", 0, 0, 0, 0, 0)");
        execute("INSERT INTO quarkus_lock (id, name, format, fence, ticket, token, owner, since, expires, shared_until, "
                + "queue_until) VALUES ('" + new LockNames(NAMESPACE).id("held")
                + "', 'held', 1, 1, 0, 'token', 'somebody', 0, "
                + FENCE_AHEAD_OF_CLOCKS + ", 0, 0)");
    }

    private void assertThatLocksGoOn() throws SQLException {
        assertThat(new Schema(database).check()).isTrue();
        try (LockEngine engine = LockEngine.builder(new JpaLockBackend(database, NAMESPACE, "test")).start()) {
            LockManager locks = engine.manager(ManagerDefaults.STANDARD);
            locks.lock("free").acquire().close();
            assertThat(locks.lock("held").tryAcquire(Duration.ZERO)).as("the holder keeps it").isEmpty();
        }
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT fence FROM quarkus_lock WHERE id = '" + new LockNames(NAMESPACE).id("free") + "'")) {
            assertThat(row.next()).isTrue();
            assertThat(row.getLong(1)).as("fences continue from that of the row").isEqualTo(FENCE_AHEAD_OF_CLOCKS + 1);
        }
    }

    /** As in the guide. */
    private Flyway flyway() {
        return Flyway.configure().dataSource(pool).locations(new Schema(database).directory()).table(HISTORY)
                .baselineOnMigrate(true).baselineVersion("0").load();
    }

    private interface Changes {

        void with(Liquibase liquibase) throws Exception;
    }

    private void liquibase(Changes changes) throws Exception {
        Scope.child(Map.of("liquibase.analytics.enabled", "false"), () -> {
            try (Connection connection = pool.getConnection();
                    Liquibase liquibase = new Liquibase("db/quarkus-lock/changelog.xml", new ClassLoaderResourceAccessor(),
                            DatabaseFactory.getInstance().findCorrectDatabaseImplementation(new JdbcConnection(connection)))) {
                changes.with(liquibase);
            }
        });
    }

    /** Drops the tables and the records of Flyway and Liquibase about them. */
    private void clean() throws SQLException {
        String quote;
        try (Connection connection = pool.getConnection()) {
            quote = connection.getMetaData().getIdentifierQuoteString();
        }
        for (String table : List.of(LockRow.TABLE, LockClaimRow.TABLE, "stock", quote + HISTORY + quote, "DATABASECHANGELOG",
                "DATABASECHANGELOGLOCK")) {
            execute("DROP TABLE IF EXISTS " + table);
        }
    }

    /** What the database reports about the columns and their keys. */
    private SortedSet<String> columns() throws SQLException {
        var found = new TreeSet<String>();
        try (Connection connection = pool.getConnection()) {
            for (String table : TABLES) {
                boolean upper = connection.getMetaData().storesUpperCaseIdentifiers();
                String stored = upper ? table.toUpperCase(Locale.ROOT) : table;
                try (ResultSet columns = connection.getMetaData().getColumns(connection.getCatalog(), null, stored, "%")) {
                    while (columns.next()) {
                        found.add(table + "." + columns.getString("COLUMN_NAME") + " " + columns.getString("TYPE_NAME") + "("
                                + columns.getInt("COLUMN_SIZE") + ") nullable=" + columns.getString("IS_NULLABLE"));
                    }
                }
                try (ResultSet keys = connection.getMetaData().getPrimaryKeys(connection.getCatalog(), null, stored)) {
                    while (keys.next()) {
                        found.add(table + " key " + keys.getInt("KEY_SEQ") + " " + keys.getString("COLUMN_NAME"));
                    }
                }
            }
        }
        return found;
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = pool.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
