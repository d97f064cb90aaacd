package io.quarkiverse.lock.jpa.pessimistic;

import org.hibernate.SessionFactory;
import org.hibernate.dialect.DB2Dialect;
import org.hibernate.dialect.Dialect;
import org.hibernate.dialect.H2Dialect;
import org.hibernate.dialect.MariaDBDialect;
import org.hibernate.dialect.MySQLDialect;
import org.hibernate.dialect.OracleDialect;
import org.hibernate.dialect.PostgreSQLDialect;
import org.hibernate.dialect.SQLServerDialect;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.PostgresDriver;
import io.quarkiverse.lock.jpa.dialect.H2LockDialect;
import io.quarkiverse.lock.jpa.dialect.LockDialect;

/** Chooses the row lock for a database. */
final class RowLocks {

    private RowLocks() {
    }

    static RowLock of(Dialect hibernate, LockDialect dialect, SessionFactory sessions, String table,
            @Nullable PostgresDriver postgres) {
        if (hibernate instanceof PostgreSQLDialect) {
            return new PostgresRowLock(table, dialect.now(), postgres);
        }
        if (hibernate instanceof MariaDBDialect) {
            return new MariaDbRowLock(table);
        }
        if (hibernate instanceof MySQLDialect) {
            return new MySqlRowLock(table);
        }
        if (hibernate instanceof H2Dialect && dialect instanceof H2LockDialect) {
            return new H2RowLock(table);
        }
        // Oracle, SQL Server and Db2 are experimental: nothing was ever run on one
        RowLockErrors errors = hibernate instanceof OracleDialect ? RowLockErrors.ORACLE
                : hibernate instanceof SQLServerDialect ? RowLockErrors.SQL_SERVER
                        : hibernate instanceof DB2Dialect ? RowLockErrors.DB2 : RowLockErrors.H2;
        // The first does not know READ UNCOMMITTED; in the second, a reader may wait for whoever writes
        boolean locksToLook = hibernate instanceof OracleDialect || hibernate instanceof SQLServerDialect;
        RowLock portable = new PortableRowLock(sessions, table, "SELECT " + dialect.now() + dialect.fromNothing(), errors,
                locksToLook);
        return hibernate instanceof DB2Dialect ? new Db2RowLock(portable) : portable;
    }
}
