package io.quarkiverse.lock.jpa.database;

import java.sql.Connection;
import java.sql.SQLException;

/** Opens connections outside the pool: to listen, to renew leases, and to check sessions. */
@FunctionalInterface
public interface UnpooledConnections {

    Connection open() throws SQLException;
}
