package io.quarkiverse.lock.jpa.table;

import java.sql.ResultSet;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

/**
 * A lock's row at one moment, and the database's time then.
 *
 * @param asked like that of a {@link LockRow}; 0 if it has none
 */
public record NameState(long now, int format, long fence, @Nullable String token, @Nullable String owner, long since,
        long expires,
        long sharedUntil, long queueUntil, long asked) {

    public static NameState read(ResultSet row) throws SQLException {
        return new NameState(row.getLong(1), row.getInt(2), row.getLong(3), row.getString(4), row.getString(5), row.getLong(6),
                row.getLong(7), row.getLong(8), row.getLong(9), row.getLong(10));
    }

    public boolean held() {
        return expires > now || sharedUntil > now;
    }

    /** Whether nobody uses the exclusive grant any more. */
    public boolean kept() {
        return asked == -fence;
    }

    public boolean waitedFor() {
        return queueUntil > now;
    }

    @Nullable
    public NameHolder holder() {
        return expires > now ? NameHolder.of(owner, now - since) : null;
    }
}
