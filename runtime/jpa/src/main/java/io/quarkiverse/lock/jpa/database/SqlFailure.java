package io.quarkiverse.lock.jpa.database;

import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.Set;

import org.hibernate.JDBCException;
import org.jspecify.annotations.Nullable;

/** What an SQL error means for the step that met it. */
public enum SqlFailure {
    /** The database has undone the step because of others: retry at once. */
    COLLISION,
    /** No connection, or it broke: the step may or may not have been done, and can be retried. */
    CONNECTION,
    /** The server lacks disk space or memory, or its disk fails. The step was not done, and may work later. */
    EXHAUSTED,
    /** The row exists already; or another constraint is violated, which only a look for the row tells. */
    DUPLICATE,
    /** It will not work next time either. */
    REFUSED;

    /**
     * Lock wait timed out, in MySQL; deadlock, in MySQL; row newer than the snapshot, in MariaDB; lock wait timed out and
     * concurrent update, in H2; waited for longer than the statement may, in MariaDB and in MySQL; ORA-00060, ORA-30006,
     * ORA-08177; snapshot conflict, in SQL Server; deadlock, in Db2.
     */
    private static final Set<Integer> COLLISION_CODES = Set.of(1205, 1213, 1020, 50200, 90131, 1969, 3024, 60, 30006, 8177,
            3960, -913);
    /**
     * PostgreSQL: the server is stopping, starting or full; system error, with which poolers (Odyssey, PgCat) say that they
     * have no server; MySQL: the server is stopping; H2: closed.
     */
    private static final Set<String> CONNECTION_STATES = Set.of("57P01", "57P02", "57P03", "57P05", "53300", "25P03", "25P04",
            "58000", "70100", "90098", "90121", "90067");

    /** PostgreSQL: resources in general, disk full, out of memory, I/O error. It reports none once a commit is on disk. */
    private static final Set<String> EXHAUSTED_STATES = Set.of("53000", "53100", "53200", "58030");
    /** MySQL and MariaDB: disk full, file not written (twice), out of memory (twice), table full. */
    private static final Set<Integer> EXHAUSTED_CODES = Set.of(1021, 3, 1026, 1037, 1041, 1114);

    /**
     * PostgreSQL: too many connections, no right to connect; the same and others: rejected. The class 28, as for a wrong
     * password, is also one.
     */
    private static final Set<String> REJECTED_STATES = Set.of("53300", "42501", "08004");
    /** MySQL and MariaDB: host blocked, too many connections of this user. */
    private static final Set<Integer> FULL_CODES = Set.of(1129, 1203);
    /** The same: this user has exceeded the limit that the message names, which may be one on connections. */
    private static final int LIMITED = 1226;
    /** MySQL and MariaDB: account locked. */
    private static final Set<Integer> REJECTED_CODES = Set.of(3118, 4151);

    /** The server, or only the transaction: MySQL and MariaDB, three times; H2. */
    private static final Set<Integer> READ_ONLY_CODES = Set.of(1290, 1792, 1836, 90097);

    private static final Set<String> NO_TABLE_STATES = Set.of("42P01", "42S02");
    /** H2's codes, also used when a table of a similar name exists. */
    private static final Set<Integer> NO_TABLE_CODES = Set.of(42102, 42103, 42104);

    public static SqlFailure of(Throwable failure) {
        SQLException sql = sql(failure);
        if (sql == null) {
            return REFUSED;
        }
        String state = sql.getSQLState() == null ? "" : sql.getSQLState();
        if (state.startsWith("40") || state.equals("55P03") || state.equals("57014")
                || COLLISION_CODES.contains(sql.getErrorCode()) && !state.startsWith("08")) {
            return COLLISION;
        }
        if (state.startsWith("23")) {
            return DUPLICATE;
        }
        if (EXHAUSTED_STATES.contains(state) || EXHAUSTED_CODES.contains(sql.getErrorCode()) && !state.startsWith("08")) {
            return EXHAUSTED;
        }
        // An exhausted pool reports this without a state
        if (state.startsWith("08") || state.isEmpty() || CONNECTION_STATES.contains(state)
                || full(sql)
                || sql instanceof SQLTransientException || sql instanceof java.sql.SQLRecoverableException) {
            return CONNECTION;
        }
        return REFUSED;
    }

    private static boolean full(SQLException failure) {
        return FULL_CODES.contains(failure.getErrorCode())
                || failure.getErrorCode() == LIMITED && String.valueOf(failure.getMessage()).contains("connections");
    }

    /** Whether a server that is there gave this client no connection. For a failure to connect. */
    public static boolean refusesConnection(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return state.startsWith("28") || REJECTED_STATES.contains(state) || full(failure)
                || REJECTED_CODES.contains(failure.getErrorCode());
    }

    /** Whether a table does not exist, as PostgreSQL, MySQL and H2 report it. */
    public static boolean noTable(SQLException failure) {
        return NO_TABLE_STATES.contains(String.valueOf(failure.getSQLState()))
                || NO_TABLE_CODES.contains(failure.getErrorCode());
    }

    /** Whether the database has answered that it does not do this, at least for now. */
    public boolean denies() {
        return this == REFUSED || this == EXHAUSTED;
    }

    /** Whether the database has certainly not done the step. */
    public boolean undone() {
        return this == COLLISION || denies();
    }

    /** Whether the database may not be written to, as after a switchover that has demoted its server. */
    public static boolean readOnly(Throwable failure) {
        SQLException sql = sql(failure);
        return sql != null && ("25006".equals(sql.getSQLState()) || READ_ONLY_CODES.contains(sql.getErrorCode()));
    }

    /** The underlying SQL error, if there is one. */
    public static @Nullable SQLException sql(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof JDBCException hibernate) {
                return hibernate.getSQLException();
            }
            if (each instanceof SQLException sql) {
                return sql;
            }
        }
        return null;
    }
}
