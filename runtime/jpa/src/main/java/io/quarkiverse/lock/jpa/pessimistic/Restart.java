package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.SqlFailure;

/** Restarts a transaction that has done nothing yet; the connection stays part of it. */
final class Restart {

    private Restart() {
    }

    /**
     * @param because receives the database's error
     * @return false if the database does not allow it, as some within XA
     */
    static boolean of(Connection connection, @Nullable Exception because) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("ROLLBACK");
            return true;
        } catch (SQLException e) {
            if (SqlFailure.of(e) == SqlFailure.CONNECTION) {
                throw e;
            }
            if (because != null) {
                because.addSuppressed(e);
            }
            return false;
        }
    }
}
