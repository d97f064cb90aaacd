package io.quarkiverse.lock.jpa.database;

import java.sql.SQLException;

/** One step of a lock, on one connection. May be run again when it fails. */
@FunctionalInterface
public interface Step<T> {

    T run(LockConnection connection) throws SQLException;
}
