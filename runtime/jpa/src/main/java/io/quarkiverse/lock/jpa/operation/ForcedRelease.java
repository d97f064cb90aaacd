package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.lock.jpa.JpaLockBackend;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.notify.Notifier;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.jpa.table.QueueSnapshot;
import io.quarkiverse.lock.jpa.table.Statements;

/** Ends whatever grants a name has and raises its fence. Who waits keeps its place. */
public final class ForcedRelease extends NamedOperation<Boolean> {

    private record Holder(String token, long fence) {
    }

    /** What was ended, to be told after the commit. */
    private record Ended(boolean any, List<Holder> holders, boolean awaited) {
    }

    public ForcedRelease(JpaLockBackend backend, String name) {
        super(backend, name);
    }

    @Override
    public Boolean run(long deadline) throws SQLException {
        LockDatabase database = backend.database();
        Ended ended = database.transaction(deadline, connection -> {
            Statements statements = database.statements();
            LockRow row = database.lockRow(connection, id);
            QueueSnapshot line = row == null ? null : QueueSnapshot.read(connection, statements, id, "");
            if (row == null || line == null) {
                return new Ended(false, List.of(), false);
            }
            if (row.format != LockRow.FORMAT) {
                throw backend.explain().format(name, row.format);
            }
            long now = line.now();
            List<Holder> holders = new ArrayList<>();
            if (row.expires > now && row.token != null) {
                holders.add(new Holder(row.token, row.fence));
            }
            line.holders().forEach(each -> holders.add(new Holder(each.token(), each.fence())));
            connection.update(statements.dropHolders, id);
            connection.update(statements.clear, Math.max(row.fence + 1, now), id);
            return new Ended(row.expires > now || row.sharedUntil > now, holders, row.queueUntil > now);
        });
        for (Holder holder : ended.holders) {
            // Who is in this JVM needs no message
            database.users().forEach(user -> user.lost(holder.token, holder.fence));
        }
        if (!ended.holders.isEmpty() || ended.awaited) {
            database.<Boolean> call(deadline, connection -> {
                ended.holders.forEach(holder -> Notifier.lost(database, connection, id, holder.token, holder.fence));
                if (ended.awaited) {
                    Notifier.wakeFirst(database, connection, id);
                }
                return true;
            });
        }
        return ended.any;
    }
}
