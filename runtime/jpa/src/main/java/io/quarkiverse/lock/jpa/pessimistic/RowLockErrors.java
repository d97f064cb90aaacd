package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.SQLException;
import java.util.Map;

import io.quarkiverse.lock.jpa.database.SqlFailure;

/**
 * What the errors of one database mean for the lock of a row. Vendor codes take precedence over SQL states: drivers give the
 * same error different states. The same code is a timeout for one vendor and a deadlock for another.
 */
public final class RowLockErrors {

    private static final Map<String, RowLockFailure> STATES = Map.of(
            "40P01", RowLockFailure.DEADLOCK,
            "40001", RowLockFailure.STALE,
            "55P03", RowLockFailure.BUSY,
            "57014", RowLockFailure.CANCELLED);

    static final RowLockErrors POSTGRESQL = new RowLockErrors(Map.of());

    /**
     * And MariaDB: lock wait timeout, whose state is HY000 or 40001, depending on the driver; NOWAIT in MySQL; statement
     * timeout; deadlock, and the conflict of two nodes of a cluster; row newer than the snapshot; query killed.
     */
    static final RowLockErrors MYSQL = new RowLockErrors(Map.of(
            1205, RowLockFailure.BUSY,
            3572, RowLockFailure.BUSY,
            1969, RowLockFailure.BUSY,
            1213, RowLockFailure.DEADLOCK,
            1020, RowLockFailure.STALE,
            1317, RowLockFailure.CANCELLED));

    /** Its deadlock code also means that a row is newer than the snapshot. */
    static final RowLockErrors H2 = new RowLockErrors(Map.of(
            50200, RowLockFailure.BUSY,
            40001, RowLockFailure.DEADLOCK));

    /** Oracle, experimental: NOWAIT; WAIT; deadlock; snapshot too old to be serialized. */
    static final RowLockErrors ORACLE = new RowLockErrors(Map.of(
            54, RowLockFailure.BUSY,
            30006, RowLockFailure.BUSY,
            60, RowLockFailure.DEADLOCK,
            8177, RowLockFailure.STALE));

    /** SQL Server, experimental: lock timeout; deadlock victim; conflict with the snapshot. */
    static final RowLockErrors SQL_SERVER = new RowLockErrors(Map.of(
            1222, RowLockFailure.BUSY,
            1205, RowLockFailure.DEADLOCK,
            3960, RowLockFailure.STALE));

    /** What Connector/J throws, without code and state, when it learns of a cancellation before the server's answer. */
    private static final String MYSQL_CANCELLED = "MySQLStatementCancelledException";

    private static final int DB2_STATEMENT_UNDONE = -913;
    private static final int DB2_TRANSACTION_UNDONE = -911;
    /** Both codes with this reason mean a timeout; other reasons are deadlocks. */
    private static final String DB2_TIMEOUT = "SQLERRMC=68";

    static final RowLockErrors DB2 = new RowLockErrors(Map.of(
            DB2_STATEMENT_UNDONE, RowLockFailure.DEADLOCK,
            DB2_TRANSACTION_UNDONE, RowLockFailure.DEADLOCK));

    private final Map<Integer, RowLockFailure> codes;

    private RowLockErrors(Map<Integer, RowLockFailure> codes) {
        this.codes = codes;
    }

    RowLockFailure of(Throwable failure) {
        SQLException sql = SqlFailure.sql(failure);
        if (sql == null) {
            return RowLockFailure.FAILED;
        }
        if (this == MYSQL && sql.getClass().getSimpleName().equals(MYSQL_CANCELLED)) {
            return RowLockFailure.CANCELLED;
        }
        if (this == DB2 && String.valueOf(sql.getMessage()).contains(DB2_TIMEOUT)) {
            if (sql.getErrorCode() == DB2_STATEMENT_UNDONE) {
                return RowLockFailure.BUSY;
            }
            if (sql.getErrorCode() == DB2_TRANSACTION_UNDONE) {
                return RowLockFailure.BUSY_AND_UNDONE;
            }
        }
        RowLockFailure known = codes.get(sql.getErrorCode());
        return known != null ? known : STATES.getOrDefault(String.valueOf(sql.getSQLState()), RowLockFailure.FAILED);
    }
}
