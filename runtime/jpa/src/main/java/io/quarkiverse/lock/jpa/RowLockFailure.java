package io.quarkiverse.lock.jpa;

import java.sql.SQLException;
import java.util.Set;

/** Why a row was not locked. */
enum RowLockFailure {
    /** The wait is over. */
    BUSY,
    /** Two transactions wait for each other, and this one is the victim. */
    DEADLOCK,
    /** The database cannot put this transaction after those it has not seen. */
    STALE,
    /** The statement was ended from outside. */
    CANCELLED,
    /** All else. */
    FAILED;

    /** MySQL and MariaDB; MySQL with NOWAIT; H2; Oracle with NOWAIT and WAIT; SQL Server; Db2. */
    private static final Set<Integer> BUSY_CODES = Set.of(1205, 3572, 50200, 54, 30006, 1222, -913);
    /** MySQL and MariaDB; H2; Oracle; Db2. SQL Server's is MySQL's code for another thing, with a state of its own. */
    private static final Set<Integer> DEADLOCK_CODES = Set.of(1213, 40001, 60, -911);

    /** MariaDB, which undoes the transaction for it; Oracle; SQL Server. */
    private static final Set<Integer> STALE_CODES = Set.of(1020, 8177, 3960);

    static RowLockFailure of(Throwable failure) {
        SQLException sql = SqlFailure.sql(failure);
        if (sql == null) {
            return FAILED;
        }
        String state = sql.getSQLState() == null ? "" : sql.getSQLState();
        int code = sql.getErrorCode();
        if (state.equals("40P01") || DEADLOCK_CODES.contains(code) || code == 1205 && state.equals("40001")) {
            return DEADLOCK;
        }
        if (state.equals("40001") || STALE_CODES.contains(code)) {
            return STALE;
        }
        if (state.equals("55P03") || BUSY_CODES.contains(code)) {
            return BUSY;
        }
        // The second is MySQL's and MariaDB's for a query that was killed
        return state.equals("57014") || state.equals("70100") && code == 1317 ? CANCELLED : FAILED;
    }
}
