package io.quarkiverse.lock.jpa.database;

import java.sql.Connection;
import java.sql.SQLException;

/** How a database begins a short transaction that reads what others have committed. */
public interface TransactionStart {

    void begin(Connection connection, long timeoutMillis) throws SQLException;

    /** Whether the transaction that has begun is READ COMMITTED; if not, its connection has to be. */
    boolean readsCommitted();
}
