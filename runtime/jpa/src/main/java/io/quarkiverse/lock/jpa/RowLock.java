package io.quarkiverse.lock.jpa;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

import org.hibernate.SessionFactory;
import org.hibernate.dialect.Dialect;
import org.hibernate.dialect.H2Dialect;
import org.hibernate.dialect.MariaDBDialect;
import org.hibernate.dialect.MySQLDialect;
import org.hibernate.dialect.PostgreSQLDialect;
import org.jspecify.annotations.Nullable;

/**
 * Locks a name's row, {@code PESSIMISTIC_WRITE}, in the transaction that a connection is in: what differs between databases is
 * how the wait is bounded, and what an end of the wait leaves of the transaction.
 */
interface RowLock {

    /**
     * What a locked row says, and who has locked it.
     *
     * @param now the database's clock after the row was locked: later holders read later times
     * @param session the database's number for the connection; 0 if it has none to ask about
     */
    record Locked(int format, long fence, long now, long session) {
    }

    /** Told what runs now, so that another thread can end it. */
    @FunctionalInterface
    interface Running {

        void statement(Statement statement);
    }

    /**
     * Waits for the row. When that fails because of the wait, the transaction is as it was before, with all its work.
     *
     * @param waitMillis 0 to ask once
     * @return null if there is no such row
     */
    @Nullable
    Locked lock(Connection connection, String id, long waitMillis, Running running) throws SQLException;

    /**
     * The query for which of these sessions are there, with their numbers as its result; null if the database does not tell,
     * and the rows have to be tried.
     */
    default @Nullable String sessions(int count) {
        return null;
    }

    static RowLock of(Dialect hibernate, LockDialect dialect, SessionFactory sessions, String table) {
        if (hibernate instanceof PostgreSQLDialect) {
            return new PostgresRowLock(table, dialect.now());
        }
        if (hibernate instanceof MariaDBDialect) {
            return new MariaDbRowLock(table);
        }
        if (hibernate instanceof MySQLDialect) {
            return new MySqlRowLock(table);
        }
        return hibernate instanceof H2Dialect && dialect instanceof H2LockDialect ? new H2RowLock(table)
                : new PortableRowLock(sessions, "SELECT " + dialect.now() + dialect.fromNothing());
    }

    /** Whole seconds, never less than what was asked for. */
    static long seconds(long millis) {
        return Math.min(1_000_000, (millis + 999) / 1000);
    }
}
