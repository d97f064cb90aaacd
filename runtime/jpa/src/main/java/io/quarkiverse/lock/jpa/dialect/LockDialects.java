package io.quarkiverse.lock.jpa.dialect;

import java.time.Duration;

import org.hibernate.dialect.DB2Dialect;
import org.hibernate.dialect.Dialect;
import org.hibernate.dialect.H2Dialect;
import org.hibernate.dialect.MySQLDialect;
import org.hibernate.dialect.OracleDialect;
import org.hibernate.dialect.PostgreSQLDialect;
import org.hibernate.dialect.SQLServerDialect;

/** Chooses the dialect for a database. */
public final class LockDialects {

    private LockDialects() {
    }

    /**
     * For the database that Hibernate talks to.
     *
     * @param operationTimeout the longest time for one operation
     */
    public static LockDialect of(Dialect hibernate, Duration operationTimeout) {
        if (hibernate instanceof PostgreSQLDialect) {
            return new PostgresLockDialect();
        }
        if (hibernate instanceof MySQLDialect) {
            return new MySqlLockDialect(operationTimeout);
        }
        if (hibernate instanceof H2Dialect) {
            return new H2LockDialect();
        }
        // Oracle, SQL Server and Db2 are experimental: nothing was ever run on one
        if (hibernate instanceof OracleDialect) {
            return new PortableLockDialect("oracle", PortableLockDialect.ORACLE_NOW, " FROM DUAL");
        }
        if (hibernate instanceof SQLServerDialect) {
            return new PortableLockDialect("sqlserver", PortableLockDialect.SQL_SERVER_NOW, "", " WITH (UPDLOCK, ROWLOCK)", "");
        }
        if (hibernate instanceof DB2Dialect) {
            return new PortableLockDialect("db2", PortableLockDialect.DB2_NOW, " FROM SYSIBM.SYSDUMMY1", "",
                    " FOR READ ONLY WITH RS USE AND KEEP UPDATE LOCKS");
        }
        throw new IllegalStateException("Locks cannot be kept in this database: Hibernate uses "
                + hibernate.getClass().getName() + ", and locks support PostgreSQL, MySQL, MariaDB, H2 and, experimentally, "
                + "Oracle, SQL Server and Db2. Choose another persistence unit with quarkus.lock.jpa.persistence-unit, or "
                + "another backend with quarkus.lock.backend");
    }
}
