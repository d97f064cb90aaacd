package io.quarkiverse.lock.jpa.database;

import java.sql.Connection;
import java.sql.SQLException;

/** Whatever the pool says: a database that hangs must not take the threads with it that take the steps. */
public interface StepLimit {

    /** Runs a step, or has it fail soon after {@code deadline}, a {@link System#nanoTime()}. */
    <T> T within(long deadline, Connection connection, Step<T> step) throws SQLException;

    /** There will be hardly any more steps. */
    default void close() {
        // nothing to end
    }
}
