package io.quarkiverse.lock.jpa.table;

import java.sql.ResultSet;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

/**
 * What a waiting claim sees when it only looks.
 *
 * @param now the database's time
 * @param until when the name's grants end, if known; in the past if the name is free
 * @param ahead how many wait ahead of it
 * @param first the token of the first of them, if it was looked up
 */
public record QueuePosition(long now, long until, int ahead, @Nullable String first) {

    public static QueuePosition read(ResultSet row) throws SQLException {
        return new QueuePosition(row.getLong(1), Math.max(row.getLong(2), row.getLong(3)), row.getInt(4), null);
    }

    public static QueuePosition readBehind(ResultSet row) throws SQLException {
        return new QueuePosition(row.getLong(1), Math.max(row.getLong(2), row.getLong(3)), row.getInt(4), row.getString(5));
    }

    /** The first waiter is still there, so nobody has had a turn. */
    public static QueuePosition same(int ahead, String first) {
        return new QueuePosition(0, Long.MAX_VALUE, ahead, first);
    }

    /**
     * The same for a claim that may share the name, although it was read as for an exclusive one.
     *
     * @param fits whether it is compatible with the current sharers
     * @param firstEnd when the first of their grants ends; 0 if there are none
     */
    QueuePosition together(long exclusiveUntil, boolean fits, long firstEnd) {
        boolean room = exclusiveUntil <= now && fits;
        return new QueuePosition(now, room ? 0 : Math.max(now + 1, Math.max(exclusiveUntil, firstEnd)), ahead, first);
    }

    /** The name is free, and nobody waits ahead of it. */
    public boolean itsTurn() {
        return until <= now && ahead == 0;
    }
}
