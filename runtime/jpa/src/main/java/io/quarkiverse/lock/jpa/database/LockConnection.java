package io.quarkiverse.lock.jpa.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** A connection for one step of a lock. Used by one thread. */
public final class LockConnection {

    /** Converts a row to a value. */
    @FunctionalInterface
    public interface RowReader<T> {

        T read(ResultSet row) throws SQLException;
    }

    private final Connection connection;

    public LockConnection(Connection connection) {
        this.connection = connection;
    }

    public Connection jdbc() {
        return connection;
    }

    public int update(String sql, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, parameters);
            return statement.executeUpdate();
        }
    }

    /** Runs an update, or a query whose rows are not needed. */
    public void execute(String sql, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, parameters);
            statement.execute();
        }
    }

    public <T> @Nullable T first(String sql, RowReader<T> reader, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, parameters);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? reader.read(rows) : null;
            }
        }
    }

    /** The first few rows. */
    public <T> List<T> first(int count, String sql, RowReader<T> reader, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setMaxRows(count);
            return read(statement, reader, parameters);
        }
    }

    public <T> List<T> all(String sql, RowReader<T> reader, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            return read(statement, reader, parameters);
        }
    }

    private static <T> List<T> read(PreparedStatement statement, RowReader<T> reader, @Nullable Object... parameters)
            throws SQLException {
        bind(statement, parameters);
        try (ResultSet rows = statement.executeQuery()) {
            var all = new ArrayList<T>();
            while (rows.next()) {
                all.add(reader.read(rows));
            }
            return all;
        }
    }

    public static void bind(PreparedStatement statement, @Nullable Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            Object parameter = parameters[i];
            if (parameter instanceof Long number) {
                statement.setLong(i + 1, number);
            } else if (parameter instanceof Integer number) {
                statement.setInt(i + 1, number);
            } else {
                statement.setString(i + 1, (String) parameter);
            }
        }
    }
}
