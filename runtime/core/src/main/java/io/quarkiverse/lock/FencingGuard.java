package io.quarkiverse.lock;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.text.PrintableName;

/**
 * Prevents a paused holder that has been overtaken from writing to a relational database. It stores the greatest fencing token
 * seen for each resource in a row, and refuses smaller ones:
 *
 * <pre>{@code
 * CREATE TABLE quarkus_lock_fence (resource VARCHAR(255) PRIMARY KEY, token BIGINT NOT NULL)
 *
 * &#64;Transactional
 * &#64;Locked("stock-{id}")
 * void sell(String id) throws SQLException {
 *     try (Connection connection = dataSource.getConnection()) {
 *         guard.check(connection, "stock-" + id, lock.fencingToken()); // a CurrentLock
 *         ...
 *     }
 * }
 * }</pre>
 *
 * It works only in the transaction that does the writes: the row stays locked until that transaction has ended, so that a later
 * holder's check waits for it. Every writer to the resource must call the check. Immutable and thread-safe; it blocks.
 */
public final class FencingGuard {

    /** Where a plain SELECT sees the snapshot of its transaction, but an UPDATE what others have committed since. */
    private static final Set<String> WITH_SNAPSHOTS = Set.of("MySQL", "MariaDB");

    private final String raise;
    private final String read;
    private final String insert;

    /** A guard on the table {@code quarkus_lock_fence}. */
    public FencingGuard() {
        this("quarkus_lock_fence");
    }

    /**
     * @param table a table with the columns {@code resource}, its primary key, and {@code token}; may be qualified
     * @throws IllegalArgumentException if this is not the name of a table
     */
    public FencingGuard(String table) {
        if (!table.matches("[A-Za-z_][\\w$]*(\\.[A-Za-z_][\\w$]*)*")) {
            throw new IllegalArgumentException("'" + table + "' is not the name of a table");
        }
        raise = "UPDATE " + table + " SET token = ? WHERE resource = ? AND token <= ?";
        read = "SELECT token FROM " + table + " WHERE resource = ?";
        insert = "INSERT INTO " + table + " (resource, token) VALUES (?, ?)";
    }

    /**
     * Returns if no greater token has been seen, and remembers this one. If two callers check the same new resource at the same
     * time, they collide on its row: one of them gets an {@link SQLException}, and can retry in a new transaction. On MySQL and
     * MariaDB, first checks of different new resources may collide too, unless the isolation is {@code READ COMMITTED}.
     *
     * @param connection a connection in the transaction that will write, not in auto-commit mode
     * @param resource what is written, usually the lock's name; tokens of different locks must not meet under one resource
     * @param token the fencing token of the current hold
     * @throws StaleTokenException if a later holder has been seen; the transaction must be rolled back
     * @throws IllegalStateException if the connection is in auto-commit mode outside a JTA transaction
     * @throws SQLException from the database
     */
    public void check(Connection connection, String resource, long token) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "The fencing token of '" + PrintableName.of(resource) + "' is checked outside a transaction: begin "
                            + "one that also includes the writes");
        }
        long latest = token;
        for (int attempt = 0; attempt < 2; attempt++) { // others may have written between the two statements
            if (raised(connection, resource, token)) {
                return;
            }
            Long seen = seen(connection, resource);
            if (seen == null) {
                insert(connection, resource, token);
                return;
            }
            latest = seen;
        }
        // Equal where a driver counts only rows that change, as with useAffectedRows of MySQL and MariaDB
        if (latest != token) {
            throw new StaleTokenException(resource,
                    "The write to '" + PrintableName.of(resource) + "' is refused: its fencing token " + token
                            + " is older than " + latest + ", the token that a later holder of the lock has written with");
        }
    }

    private boolean raised(Connection connection, String resource, long token) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(raise)) {
            statement.setLong(1, token);
            statement.setString(2, resource);
            statement.setLong(3, token);
            return statement.executeUpdate() == 1;
        }
    }

    private @Nullable Long seen(Connection connection, String resource) throws SQLException {
        boolean ofSnapshot = WITH_SNAPSHOTS.contains(connection.getMetaData().getDatabaseProductName());
        try (PreparedStatement statement = connection.prepareStatement(ofSnapshot ? read + " FOR UPDATE" : read)) {
            statement.setString(1, resource);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? rows.getLong(1) : null;
            }
        }
    }

    private void insert(Connection connection, String resource, long token) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(insert)) {
            statement.setString(1, resource);
            statement.setLong(2, token);
            statement.executeUpdate();
        }
    }
}
