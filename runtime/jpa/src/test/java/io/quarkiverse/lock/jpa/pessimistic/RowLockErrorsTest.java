package io.quarkiverse.lock.jpa.pessimistic;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;

import org.hibernate.exception.LockAcquisitionException;
import org.junit.jupiter.api.Test;

import com.mysql.cj.jdbc.exceptions.MySQLStatementCancelledException;

import io.quarkiverse.lock.testkit.Fault;

/** Errors as the vendors' drivers report them. Those of Oracle, SQL Server and Db2 were never observed on a real server. */
class RowLockErrorsTest {

    private static SQLException error(String state, int code, String message) {
        return new SQLException(message, state, code);
    }

    @Test
    @Fault(109)
    void fault109_sameErrorCodeDependsOnVendor() {
        assertThat(RowLockErrors.MYSQL.of(error("40001", 1205, "Lock wait timeout exceeded"))).isEqualTo(RowLockFailure.BUSY);
        assertThat(RowLockErrors.MYSQL.of(error("HY000", 1205, "Lock wait timeout exceeded"))).isEqualTo(RowLockFailure.BUSY);
        assertThat(RowLockErrors.MYSQL.of(error("HY000", 3572, "NOWAIT is set"))).isEqualTo(RowLockFailure.BUSY);
        assertThat(RowLockErrors.MYSQL.of(error("40001", 1213, "Deadlock found"))).isEqualTo(RowLockFailure.DEADLOCK);
        assertThat(RowLockErrors.MYSQL.of(error("HY000", 1020, "Record has changed"))).isEqualTo(RowLockFailure.STALE);
        assertThat(RowLockErrors.SQL_SERVER.of(error("40001", 1205, "deadlock victim"))).isEqualTo(RowLockFailure.DEADLOCK);
        assertThat(RowLockErrors.SQL_SERVER.of(error("S0051", 1222, "Lock request time out"))).isEqualTo(RowLockFailure.BUSY);
        assertThat(RowLockErrors.ORACLE.of(error("61000", 60, "ORA-00060"))).isEqualTo(RowLockFailure.DEADLOCK);
        assertThat(RowLockErrors.ORACLE.of(error("72000", 8177, "ORA-08177"))).isEqualTo(RowLockFailure.STALE);
        assertThat(RowLockErrors.POSTGRESQL.of(error("40001", 0, "could not serialize"))).isEqualTo(RowLockFailure.STALE);
        assertThat(RowLockErrors.POSTGRESQL.of(error("40P01", 0, "deadlock detected"))).isEqualTo(RowLockFailure.DEADLOCK);
    }

    @Test
    void driverReportedCancellationIsRecognized() {
        assertThat(RowLockErrors.MYSQL.of(new MySQLStatementCancelledException())).isEqualTo(RowLockFailure.CANCELLED);
        assertThat(RowLockErrors.MYSQL.of(error("70100", 1317, "interrupted"))).isEqualTo(RowLockFailure.CANCELLED);
    }

    @Test
    @Fault(109)
    void fault109_expiredWaitIsNoDeadlockOnDb2() {
        String message = "DB2 SQL Error: SQLCODE=%d, SQLSTATE=%s, SQLERRMC=%s, DRIVER=4.33.31";
        assertThat(RowLockErrors.DB2.of(error("40001", -911, message.formatted(-911, "40001", "68"))))
                .isEqualTo(RowLockFailure.BUSY_AND_UNDONE);
        assertThat(RowLockErrors.DB2.of(error("40001", -911, message.formatted(-911, "40001", "2"))))
                .isEqualTo(RowLockFailure.DEADLOCK);
        assertThat(RowLockErrors.DB2.of(error("57033", -913, message.formatted(-913, "57033", "68"))))
                .isEqualTo(RowLockFailure.BUSY);
        assertThat(RowLockErrors.DB2.of(new LockAcquisitionException("of Hibernate",
                error("40001", -911, message.formatted(-911, "40001", "68")), "select ... for update")))
                .isEqualTo(RowLockFailure.BUSY_AND_UNDONE);
    }
}
