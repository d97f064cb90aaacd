package io.quarkiverse.lock.jpa.database;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * The isolation level of a connection that is changed for a while. A pool that sees a change sets, on return, what it takes for
 * the default: that is not what a statement for new connections, or an interceptor, has set. So the change is made below the
 * pool, and undone.
 */
public final class Isolation implements AutoCloseable {

    private final Connection driver;
    private final int before;
    private final boolean changed;

    private Isolation(Connection driver, int before, boolean changed) {
        this.driver = driver;
        this.before = before;
        this.changed = changed;
    }

    /** Until it is closed. In no transaction. */
    public static Isolation of(Connection connection, int level) throws SQLException {
        Connection driver = connection.unwrap(Connection.class);
        int before = driver.getTransactionIsolation();
        boolean changed = before != level;
        if (changed) {
            driver.setTransactionIsolation(level);
        }
        return new Isolation(driver, before, changed);
    }

    @Override
    public void close() {
        if (!changed) {
            return;
        }
        try {
            driver.setTransactionIsolation(before);
        } catch (SQLException e) {
            // The connection is broken, which the work's own failure reports
        }
    }
}
