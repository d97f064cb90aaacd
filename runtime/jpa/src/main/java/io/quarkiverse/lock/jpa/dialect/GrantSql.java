package io.quarkiverse.lock.jpa.dialect;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.dialect.LockDialect.FencedAt;

/**
 * The statements whose results each database returns in its own way.
 *
 * @param grant the uncontended acquire
 * @param insert the first acquire of a name
 * @param readBack id, token: fence, now
 * @param release id, token
 * @param releaseAndWake id, token, channel, id: the same, plus a notification of the first waiter, each with its own commit
 */
public record GrantSql(String grant, String insert, String readBack, String release, String releaseAndWake) {

    /** Null if the grant has ended meanwhile, by force or by its lease. */
    @Nullable
    FencedAt readBack(LockConnection connection, String id, String token) throws SQLException {
        return connection.first(readBack, row -> new FencedAt(row.getLong(1), row.getLong(2)), id, token);
    }
}
