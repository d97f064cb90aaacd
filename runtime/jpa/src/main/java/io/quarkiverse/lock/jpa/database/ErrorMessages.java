package io.quarkiverse.lock.jpa.database;

import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.spi.PrintableDuration;
import io.quarkiverse.lock.text.PrintableName;

/** Says what went wrong with a lock, which property is involved, and what to do about it. */
public final class ErrorMessages {

    /** The SQL state, used by no database, for settings that disagree with those of other applications. */
    public static final String DISAGREES = "LOCK1";
    /** The same, for tables on which locks would not exclude anybody; the error itself says what to do. */
    public static final String UNFIT = "LOCK2";

    private static final String TO_CHANGE = "stop all applications with these tables and delete the row with the id 'marker'";

    /** MySQL and MariaDB. */
    private static final int STATEMENT_BINLOG = 1665;

    private final JpaLockOptions options;
    private final String tables;
    /** Whether the names of the tables are: then many databases tell them from unquoted ones in another case. */
    private final boolean quoted;
    private final int knownFormat;

    public ErrorMessages(JpaLockOptions options, String tables, int knownFormat) {
        this.options = options;
        this.tables = tables;
        quoted = tables.indexOf('"') >= 0;
        this.knownFormat = knownFormat;
    }

    public LockBackendException failure(String name, Throwable failure) {
        return new LockBackendException(name, "Lock '" + PrintableName.of(name) + "': " + reason(failure), failure);
    }

    public LockBackendException timeout(String name) {
        return new LockBackendException(name, "Lock '" + PrintableName.of(name) + "': the database (" + options.dataSource()
                + "*) does not answer within quarkus.lock.jpa.operation-timeout=" + timeout()
                + ". Is it up, and does its pool (" + options.dataSource() + "jdbc.max-size) have connections to spare?", null);
    }

    /** For a name that has never been locked before. */
    public LockBackendException rowHeldBack(String name, @Nullable Throwable cause) {
        return new LockBackendException(name, "Lock '" + PrintableName.of(name) + "': its row could not be inserted into "
                + tables + " within quarkus.lock.jpa.operation-timeout=" + timeout()
                + ". On MariaDB and MySQL a transaction at REPEATABLE READ that holds the lock of another name can block it: "
                + "set " + options.dataSource() + "jdbc.transaction-isolation-level=read-committed, or try again when that "
                + "transaction has ended. If that is not the cause, is the database up?", cause);
    }

    public LockBackendException closed(String name) {
        return new LockBackendException(name, "Lock '" + PrintableName.of(name) + "': the application is shutting down", null);
    }

    public LockBackendException format(String name, int format) {
        return new LockBackendException(name,
                "Lock '" + PrintableName.of(name) + "': its row in " + tables + " has format " + format
                        + ", but this application knows only format " + knownFormat
                        + ". A newer version of Quarkus Lock uses the same "
                        + "tables: upgrade this application, or give it tables of its own (quarkus.lock.jpa.persistence-unit)",
                null);
    }

    /** The error if a grace would end before such a lease; null if it would not. */
    public @Nullable LockBackendException tooLong(String name, long leaseNanos) {
        Duration longest = options.graceLease();
        if (longest == null || leaseNanos <= longest.toNanos()) {
            return null;
        }
        return new LockBackendException(name, "Lock '" + PrintableName.of(name) + "': its lease of "
                + PrintableDuration.ofNanos(leaseNanos) + " is longer than quarkus.lock.jpa.longest-lease="
                + PrintableDuration.of(longest)
                + ". Shorten the lease, or what is added to it: holdAtLeast and quarkus.lock.after-loss-delay. "
                + "To raise the longest lease, " + TO_CHANGE, null);
    }

    /** For an application whose settings differ from those of earlier ones. */
    public String disagreement(String said) {
        return "others with " + tables + " (" + options.dataSource() + "*) have chosen something else for "
                + "a fail-over (" + said + "), and rely on it. Set quarkus.lock.jpa.after-failover and "
                + "quarkus.lock.jpa.longest-lease alike in all of them; to change them, " + TO_CHANGE;
    }

    public String reason(Throwable failure) {
        SQLException sql = SqlFailure.sql(failure);
        if (sql == null) {
            return "the database (" + options.dataSource() + "*) cannot be queried: " + failure;
        }
        String state = sql.getSQLState() == null ? "" : sql.getSQLState();
        String said = sql.getMessage();
        if (said != null && said.contains("cquisition timeout")) {
            return "the pool of the data source has no free connection (" + said + "). Raise " + options.dataSource()
                    + "jdbc.max-size, or find out what keeps its connections";
        }
        return switch (SqlFailure.of(failure)) {
            case CONNECTION -> "the database (" + options.dataSource() + "*) cannot be reached within "
                    + "quarkus.lock.jpa.operation-timeout=" + timeout() + ": " + said;
            case COLLISION -> "others keep its row in " + tables + " locked for longer than "
                    + "quarkus.lock.jpa.operation-timeout=" + timeout() + ": " + said;
            case EXHAUSTED -> "the database (" + options.dataSource() + "*) lacks disk space or memory, or its disk fails: "
                    + said;
            case DUPLICATE, REFUSED -> refused(sql, state, said);
        };
    }

    private String refused(SQLException sql, String state, String said) {
        int code = sql.getErrorCode();
        if (state.equals(DISAGREES)) {
            return disagreement(said);
        }
        if (state.equals(UNFIT)) {
            return said;
        }
        // PostgreSQL and Db2, MySQL and H2, Oracle, SQL Server
        boolean noColumn = state.equals("42703") || state.equals("42S22") || code == 904 || code == 207;
        if (SqlFailure.noTable(sql)) {
            return "the database (" + options.dataSource() + "*) lacks a table that locks need (" + said
                    + "). Let Flyway or Liquibase create " + tables + " (the migrations are in db/quarkus-lock of "
                    + "quarkus-lock-jpa), or set quarkus.lock.jpa.create-table=true" + quoting();
        }
        if (noColumn && quoted) {
            return "a table that locks need (" + options.dataSource() + "*) lacks a column (" + said + ")" + quoting();
        }
        if (noColumn) {
            return "a table that locks need (" + options.dataSource() + "*) lacks a column (" + said
                    + "), since an earlier version created it. Add to " + tables + " what they lack from the files in "
                    + "db/quarkus-lock of quarkus-lock-jpa";
        }
        if (state.equals("42501") || code == 1142 || code == 1143 || code == 90096) {
            return "the user of " + options.dataSource() + "username is not allowed to do what locks need (" + said
                    + "). Grant it SELECT, INSERT, UPDATE and DELETE on " + tables;
        }
        if (SqlFailure.readOnly(sql)) {
            return "the database (" + options.dataSource() + "*) is read-only, or the transaction is (" + said
                    + "). Point the data source at the primary server, and take locks in transactions that may write";
        }
        if (state.equals("26000") || state.equals("42P05")) {
            return "something between here and the database (" + options.dataSource() + "*) gives each transaction another "
                    + "connection, as PgBouncer does, but the driver relies on what it has prepared on one (" + said
                    + "). Set " + options.dataSource() + "jdbc.additional-jdbc-properties.prepareThreshold=0";
        }
        if (code == STATEMENT_BINLOG) {
            return "the database (" + options.dataSource() + "*) is set to log statements instead of rows, and so refuses what "
                    + "locks write at READ COMMITTED (" + said + "). Set binlog_format=ROW or MIXED on the server";
        }
        return "the database (" + options.dataSource() + "*) answers with an error: " + said;
    }

    private String quoting() {
        if (!quoted) {
            return "";
        }
        return ". Hibernate quotes names there (quarkus.hibernate-orm.quote-identifiers.strategy), and locks quote only those of "
                + "tables: what Hibernate, Flyway or Liquibase has created may have other names. Let locks create their tables "
                + "(quarkus.lock.jpa.create-table=true), or set that strategy to only-keywords";
    }

    private String timeout() {
        return PrintableDuration.of(options.operationTimeout());
    }
}
