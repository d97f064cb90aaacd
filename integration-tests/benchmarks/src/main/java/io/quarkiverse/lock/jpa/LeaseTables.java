package io.quarkiverse.lock.jpa;

import java.sql.PreparedStatement;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;

import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.dialect.PostgresLockDialect;
import io.quarkiverse.lock.jpa.schema.Schema;
import io.quarkiverse.lock.jpa.table.LockClaimRow;
import io.quarkiverse.lock.jpa.table.LockNames;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.jpa.table.Statements;

/** The backend's tables and statements on PostgreSQL, for benchmarks: both sides of a comparison must use the same. */
public final class LeaseTables {

    /** As in an application's persistence unit without entities of its own. */
    public static final SessionFactory SESSIONS = sessions("org.hibernate.dialect.PostgreSQLDialect");

    private static final Statements STATEMENTS = new Statements(new PostgresLockDialect(), LockRow.TABLE, LockClaimRow.TABLE);

    /** See {@link #grantParameters}; returns one row, or none if it is not free. */
    public static final String GRANT = STATEMENTS.grant;
    /** See {@link #insertParameters}. */
    public static final String INSERT = STATEMENTS.insert;
    /** Id and token; returns one row, or none if it was not held. */
    public static final String RELEASE = STATEMENTS.release;

    private LeaseTables() {
    }

    /** The same for another database. */
    public static SessionFactory sessions(String dialect) {
        return new Configuration().addAnnotatedClass(LockRow.class)
                .addAnnotatedClass(LockClaimRow.class)
                .setProperty("hibernate.dialect", dialect)
                .setProperty("hibernate.boot.allow_jdbc_metadata_access", "false")
                .buildSessionFactory();
    }

    public static void create(DataSource dataSource) {
        create(dataSource, SESSIONS);
    }

    public static void create(DataSource dataSource, SessionFactory sessions) {
        new Schema(LockDatabase.of(dataSource, sessions, null, JpaLockOptions.STANDARD)).create();
    }

    public static String id(String namespace, String name) {
        return new LockNames(namespace).id(name);
    }

    public static Object[] grantParameters(String id, String token, String owner, long leaseMicros, long guard) {
        return STATEMENTS.grantParameters(id, token, owner, leaseMicros, guard);
    }

    public static Object[] insertParameters(String id, String name, String token, String owner, long leaseMicros,
            long guard) {
        return STATEMENTS.insertParameters(id, name, token, owner, leaseMicros, guard);
    }

    public static void bind(PreparedStatement statement, Object... parameters) throws SQLException {
        LockConnection.bind(statement, parameters);
    }
}
