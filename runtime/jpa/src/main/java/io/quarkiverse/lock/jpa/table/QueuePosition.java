package io.quarkiverse.lock.jpa.table;

import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * What a waiting claim sees when it only looks.
 *
 * @param now the database's time
 * @param until when the grants of the name end, as far as known; in the past if it is free
 * @param ahead how many wait before it
 */
public record QueuePosition(long now, long until, int ahead) {

    public static QueuePosition read(ResultSet row) throws SQLException {
        return new QueuePosition(row.getLong(1), Math.max(row.getLong(2), row.getLong(3)), row.getInt(4));
    }

    public boolean free() {
        return until <= now;
    }

    public boolean first() {
        return ahead == 0;
    }
}
