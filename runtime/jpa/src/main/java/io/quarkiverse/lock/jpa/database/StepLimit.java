package io.quarkiverse.lock.jpa.database;

import java.sql.Connection;
import java.sql.SQLException;

/** Bounds steps, whatever the pool's settings: a hanging database must not hang the threads that run the steps. */
public interface StepLimit {

    /** Runs a step, or makes it fail soon after {@code deadline}, a {@link System#nanoTime()}. */
    <T> T within(long deadline, Connection connection, Step<T> step) throws SQLException;

    /** Hardly any more steps will follow. */
    default void close() {
        // nothing to end
    }
}
