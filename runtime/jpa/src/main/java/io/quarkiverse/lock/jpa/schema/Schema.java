package io.quarkiverse.lock.jpa.schema;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.database.ErrorMessages;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.database.SqlFailure;
import io.quarkiverse.lock.jpa.dialect.MySqlLockDialect;
import io.quarkiverse.lock.jpa.grace.Marker;
import io.quarkiverse.lock.jpa.table.LockClaimRow;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.jpa.table.QueuePosition;
import io.quarkiverse.lock.jpa.table.QueueSnapshot;
import io.quarkiverse.lock.jpa.table.Sharer;
import io.quarkiverse.lock.spi.WaitNotes;

/**
 * Checks the tables before the first lock is taken, and creates them if configured. Blocks: for the start of an application.
 */
public final class Schema {

    private static final Logger LOG = Logger.getLogger(Schema.class);

    private static final Map<String, Integer> LOCK_COLUMNS = Map.of("id", LockRow.ID_LENGTH, "name", LockRow.NAME_LENGTH,
            "token", LockRow.TOKEN_LENGTH, "owner", LockRow.NAME_LENGTH);
    private static final Map<String, Integer> CLAIM_COLUMNS = Map.of("id", LockRow.ID_LENGTH, "token", LockRow.TOKEN_LENGTH,
            "kind", 1, "lock_mode", 1, "owner", LockRow.NAME_LENGTH, "note", WaitNotes.MAX_LENGTH);
    private static final Set<String> LONG_COLUMNS = Set.of("fence", "ticket", "since", "expires", "shared_until",
            "queue_until", "asked");
    private static final Set<String> LOCK_KEY = Set.of("id");
    private static final Set<String> CLAIM_KEY = Set.of("id", "token");

    private static final String NO_ID = "-";
    /** One second in all, which a step of a lock may not have. */
    private static final int LOOKS_AT_THE_START = 20;

    /**
     * The files that create the tables in each database, one version after the other. They are listed here and in
     * {@code changelog.xml}, because a native image cannot list the files of a directory.
     */
    public static final List<String> MIGRATIONS = List.of("V1__quarkus_lock.sql");

    private final LockDatabase database;

    public Schema(LockDatabase database) {
        this.database = database;
    }

    /** The directory with this database's migrations. */
    public String directory() {
        return "db/quarkus-lock/" + database.dialect().name();
    }

    /**
     * Creates what is missing. Several JVMs may do so at the same time: the later ones find it done.
     *
     * @throws IllegalStateException if that fails; says why and what to do
     */
    public void create() {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(true); // a missing table must not spoil what follows
            if (exists(connection)) {
                return;
            }
            SQLException failure = null;
            for (String migration : MIGRATIONS) {
                for (String sql : statements(directory() + "/" + migration)) {
                    try {
                        execute(connection, sql);
                    } catch (SQLException e) {
                        // Another JVM may have just made this table, but not the next one yet
                        failure = failure == null ? e : failure;
                    }
                }
            }
            if (failure != null && !exists(connection)) {
                throw failure;
            }
        } catch (SQLException e) {
            throw new IllegalStateException("quarkus.lock.jpa.create-table=true, but the tables " + database.lockTable()
                    + " and " + database.claimTable() + " cannot be created" + whatToDo(e), e);
        }
    }

    private String whatToDo(SQLException failure) {
        return switch (SqlFailure.of(failure)) {
            // an application that went on without tables would need a restart as well, but nobody would give it one
            case CONNECTION, COLLISION, EXHAUSTED -> ": " + database.errors().reason(failure)
                    + ". Start the application again when that is over";
            case DUPLICATE, REFUSED -> " (" + failure.getMessage() + "). Let the user of "
                    + database.options().dataSource() + "username create tables, or let Flyway or Liquibase run the "
                    + "migrations in " + directory() + " of quarkus-lock-jpa";
        };
    }

    private List<String> statements(String file) {
        String text;
        try (var in = LockRow.class.getClassLoader().getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("No file " + file);
            }
            text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        var statements = new ArrayList<String>();
        for (String sql : text.replaceAll("(?m)^--.*$", "").split(";")) {
            if (!sql.isBlank()) {
                statements.add(sql.strip()
                        .replaceAll("\\b" + LockRow.TABLE + "\\b", database.lockTable().replace("$", "\\$"))
                        .replaceAll("\\b" + LockClaimRow.TABLE + "\\b", database.claimTable().replace("$", "\\$")));
            }
        }
        return statements;
    }

    /**
     * Checks that everything that locks need exists and may be used, and that the tables exclude. If the database cannot be
     * asked, that is logged, and nothing else is done there before this check has been made up for.
     *
     * @return whether the database could be asked
     * @throws IllegalStateException if something is missing; says what and what to do
     */
    public boolean check() {
        return check(this::tables);
    }

    /**
     * {@link #check}, for leases: also that statements notice when they are late, and that earlier users of the tables agree on
     * what happens after a fail-over. Begins a grace if necessary.
     */
    public boolean checkForLeases() {
        return check((connection, looks) -> {
            tables(connection, looks);
            clock(connection);
            marker(connection);
        });
    }

    private boolean check(Check check) {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(true);
            check.run(new LockConnection(connection), LOOKS_AT_THE_START);
            return true;
        } catch (SQLException e) {
            String reason = database.errors().reason(e);
            if (SqlFailure.of(e) == SqlFailure.REFUSED) {
                throw new IllegalStateException("Locks cannot be taken: " + reason, e);
            }
            LOG.warnf("Locks cannot be taken yet: %s", reason);
            database.steps().first(later -> {
                check.run(later, 1); // a caller waits
                return true;
            });
            return false;
        }
    }

    @FunctionalInterface
    private interface Check {

        /** @param looks how often to look for what may be about to come */
        void run(LockConnection connection, int looks) throws SQLException;
    }

    private void tables(LockConnection connection, int looks) throws SQLException {
        check(connection.jdbc(), database.lockTable(), LockRow.ALL_COLUMNS, LOCK_COLUMNS, LOCK_KEY, looks);
        check(connection.jdbc(), database.claimTable(), LockClaimRow.ALL_COLUMNS, CLAIM_COLUMNS, CLAIM_KEY, looks);
        database.steps().asTransaction(database.steps().deadline(), transaction -> {
            checkContention(transaction);
            return true;
        }).run(connection);
    }

    private void clock(LockConnection connection) throws SQLException {
        if (database.dialect() instanceof MySqlLockDialect mySql && standsStill(mySql, connection)) {
            throw unfit("the server",
                    "has the option sysdate-is-now, with which a statement that has waited for a row does not "
                            + "notice that it is late, and may take a lock for nobody. Start the server without it");
        }
    }

    /** Only what is proven counts: a proxy or a variant may not know the question. */
    private static boolean standsStill(MySqlLockDialect mySql, LockConnection connection) throws SQLException {
        try {
            return mySql.standsStill(connection);
        } catch (SQLException e) {
            if (SqlFailure.of(e) == SqlFailure.CONNECTION) {
                throw e;
            }
            LOG.debugf("Whether the server has the option sysdate-is-now is unknown: %s", e.getMessage());
            return false;
        }
    }

    private void marker(LockConnection connection) throws SQLException {
        Marker marker = database.marker();
        if (marker != null) {
            marker.leftOrBegun(connection);
        } else if (connection.first("SELECT id FROM " + database.lockTable() + " WHERE id = ?", row -> true,
                Marker.ID) != null) {
            throw new SQLException("they have quarkus.lock.jpa.after-failover=grace, but this application has at-once",
                    ErrorMessages.DISAGREES);
        }
    }

    private void check(Connection connection, String table, String columns, Map<String, Integer> lengths, Set<String> key,
            int looks) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet nothing = statement.executeQuery("SELECT " + columns + " FROM " + table + " WHERE 1 = 0")) {
            checkColumns(table, nothing.getMetaData(), lengths);
            String problem = new ExclusionCheck(connection, database.dialect()).problem(table, nothing.getMetaData(), key,
                    looks);
            if (problem != null) {
                throw unfit("table " + table, problem);
            }
        }
        // Each changes nothing, and fails if it is not allowed
        execute(connection, changingNothing(table));
        execute(connection, "INSERT INTO " + table + " (" + columns + ") SELECT " + columns + " FROM " + table
                + " WHERE 1 = 0");
        execute(connection, "DELETE FROM " + table + " WHERE 1 = 0");
    }

    private static String changingNothing(String table) {
        return "UPDATE " + table + " SET expires = expires WHERE 1 = 0";
    }

    /** The statements for contended locks only, on a row that does not exist; and whether their transactions may write. */
    private void checkContention(LockConnection connection) throws SQLException {
        execute(connection.jdbc(), changingNothing(database.lockTable()));
        LockRow.lock(connection, database.statements(), NO_ID);
        connection.first(database.statements().turn, QueuePosition::read, 0L, NO_ID);
        connection.first(database.statements().claims, row -> row.getLong(1), NO_ID);
        QueueSnapshot.check(connection, database.statements(), NO_ID);
        Sharer.first(connection, database.statements(), NO_ID, 0, QueueSnapshot.NO_TOKEN);
    }

    private void checkColumns(String table, ResultSetMetaData found, Map<String, Integer> lengths) throws SQLException {
        for (int i = 1; i <= found.getColumnCount(); i++) {
            String column = found.getColumnName(i).toLowerCase(Locale.ROOT);
            Integer needed = lengths.get(column);
            int type = found.getColumnType(i);
            if (needed != null && found.getPrecision(i) > 0 && found.getPrecision(i) < needed) {
                throw unfit(table, column, "has room for " + found.getPrecision(i) + " characters, but needs " + needed);
            }
            if (LONG_COLUMNS.contains(column) && (type == Types.INTEGER || type == Types.SMALLINT)) {
                throw unfit(table, column, "is of type " + found.getColumnTypeName(i) + ", but needs 64 bits");
            }
        }
    }

    private SQLException unfit(String table, String column, String why) {
        return unfit("column " + column + " of table " + table, why + ". Create the table as the migrations in " + directory()
                + " of quarkus-lock-jpa do");
    }

    private SQLException unfit(String what, String why) {
        return new SQLException(what + " (" + database.options().dataSource() + "*) " + why, ErrorMessages.UNFIT);
    }

    private boolean exists(Connection connection) {
        try {
            execute(connection, "SELECT id FROM " + database.lockTable() + " WHERE 1 = 0");
            execute(connection, "SELECT id FROM " + database.claimTable() + " WHERE 1 = 0");
            return true;
        } catch (SQLException e) {
            return false;
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
