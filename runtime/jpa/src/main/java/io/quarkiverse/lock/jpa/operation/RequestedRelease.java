package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.lock.jpa.JpaLockBackend;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.notify.Notifier;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.jpa.table.QueueSnapshot;
import io.quarkiverse.lock.jpa.table.Statements;

/**
 * Asks whoever holds a name to finish. It is noted with each grant, by its fence, and so means no other. Who has finished and
 * only keeps the name has nothing to give.
 */
public final class RequestedRelease extends NamedOperation<Boolean> {

    private record Holder(String token, long fence) {
    }

    public RequestedRelease(JpaLockBackend backend, String name) {
        super(backend, name);
    }

    @Override
    public Boolean run(long deadline) throws SQLException {
        LockDatabase database = backend.database();
        List<Holder> asked = database.transaction(deadline, connection -> ask(database, connection));
        for (Holder holder : asked) {
            // Who is in this JVM needs no message
            database.users().forEach(user -> user.asked(holder.token, holder.fence));
        }
        if (!asked.isEmpty() && database.tells()) {
            database.<Boolean> call(deadline, connection -> {
                asked.forEach(holder -> Notifier.asked(database, connection, id, holder.token, holder.fence));
                return true;
            });
        }
        return !asked.isEmpty();
    }

    private List<Holder> ask(LockDatabase database, LockConnection connection) throws SQLException {
        Statements statements = database.statements();
        LockRow row = database.lockRow(connection, id);
        QueueSnapshot line = row == null ? null : QueueSnapshot.read(connection, statements, id, "");
        if (row == null || line == null) {
            return List.of();
        }
        if (row.format != LockRow.FORMAT) {
            throw backend.explain().format(name, row.format);
        }
        List<Holder> holders = new ArrayList<>();
        if (row.expires > line.now() && row.token != null && !row.kept()) {
            holders.add(new Holder(row.token, row.fence));
            connection.update(statements.ask, id);
        }
        if (!line.holders().isEmpty()) {
            line.holders().forEach(each -> holders.add(new Holder(each.token(), each.fence())));
            connection.update(statements.askSharers, id);
        }
        return holders;
    }
}
