package io.quarkiverse.lock.jpa.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What PostgreSQL's own driver tells of a connection. Not every application has that driver, and a native executable cannot be
 * built from code that names absent types, even if it never runs. So only {@link PgDriver} names the driver's types, and it is
 * only a bean where the application has the driver.
 */
public interface PostgresDriver {

    /** A connection's transaction. */
    enum Transaction {
        /** The database has not seen it yet. */
        NOT_BEGUN,
        OPEN,
        FAILED
    }

    /** Asks nobody. Returns {@code null} if the connection is not one of this driver. */
    @Nullable
    Transaction transaction(Connection connection) throws SQLException;

    /**
     * The texts of the next notifications; none if the time is over. Fails if the connection is not one of this driver.
     *
     * @param patienceMillis how long to wait for them
     */
    List<String> notifications(Connection connection, int patienceMillis) throws SQLException;
}
