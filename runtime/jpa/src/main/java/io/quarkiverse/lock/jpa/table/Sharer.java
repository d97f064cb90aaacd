package io.quarkiverse.lock.jpa.table;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.LockConnection;

/** One of those who share a name. */
public record Sharer(String token, String mode, @Nullable String owner, long fence, long since) {

    /** All of them at a time by the database's clock, except for {@code token}. */
    public static List<Sharer> all(LockConnection connection, Statements statements, String id, long time, String token)
            throws SQLException {
        return connection.all(statements.sharers, Sharer::read, id, time, token);
    }

    /** The one of them who came first, if any. */
    public static List<Sharer> first(LockConnection connection, Statements statements, String id, long time, String token)
            throws SQLException {
        return connection.all(statements.sharer, Sharer::read, id, time, token);
    }

    /** The first of them, for people. */
    public static @Nullable NameHolder holder(List<Sharer> sharers, long time) {
        return sharers.isEmpty() ? null : NameHolder.of(sharers.get(0).owner, time - sharers.get(0).since);
    }

    private static Sharer read(ResultSet row) throws SQLException {
        return new Sharer(row.getString(1), row.getString(2), row.getString(3), row.getLong(4), row.getLong(5));
    }

    public boolean reads() {
        return mode.equals("S");
    }
}
