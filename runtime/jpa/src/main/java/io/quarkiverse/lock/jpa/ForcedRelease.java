package io.quarkiverse.lock.jpa;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

/** Ends whatever grants a name has and raises its fence. Who waits keeps its place. */
final class ForcedRelease extends NameOperation<Boolean> {

    /** What was ended, to be told after the commit. */
    private record Ended(boolean any, @Nullable String token, long fence, boolean awaited) {
    }

    ForcedRelease(JpaLockBackend backend, String name) {
        super(backend, name);
    }

    @Override
    Boolean run(long deadline) throws SQLException {
        LockDatabase database = backend.database();
        Ended ended = database.transaction(deadline, connection -> {
            Statements statements = database.statements();
            LockRow row = database.lockRow(connection, id);
            if (row == null) {
                return new Ended(false, null, 0, false);
            }
            if (row.format != LockRow.FORMAT) {
                throw backend.explain().format(name, row.format);
            }
            Long read = connection.first(statements.now, each -> each.getLong(1));
            long now = read == null ? 0 : read;
            boolean held = row.expires > now || row.sharedUntil > now;
            connection.update(statements.dropHolders, id);
            connection.update(statements.clear, Math.max(row.fence + 1, now), id);
            return new Ended(held, row.expires > now ? row.token : null, row.fence, row.queueUntil > now);
        });
        if (ended.token != null) {
            // Who is in this JVM needs no message
            database.users().forEach(user -> user.lost(ended.token, ended.fence));
        }
        if (ended.token != null || ended.awaited) {
            database.<Boolean> call(deadline, connection -> {
                if (ended.token != null) {
                    Telling.lost(database, connection, id, ended.token, ended.fence);
                }
                if (ended.awaited) {
                    Telling.wakeFirst(database, connection, id);
                }
                return true;
            });
        }
        return ended.any;
    }
}
