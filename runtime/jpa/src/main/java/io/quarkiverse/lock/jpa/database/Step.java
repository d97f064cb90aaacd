package io.quarkiverse.lock.jpa.database;

import java.sql.SQLException;

/** One step of a lock, on one connection. May be rerun after a failure. */
@FunctionalInterface
public interface Step<T> {

    T run(LockConnection connection) throws SQLException;
}
