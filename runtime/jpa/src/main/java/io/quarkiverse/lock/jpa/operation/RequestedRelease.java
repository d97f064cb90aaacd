package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.notify.Notification;
import io.quarkiverse.lock.jpa.notify.Notifier;
import io.quarkiverse.lock.jpa.notify.Subscribers;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.jpa.table.QueueSnapshot;
import io.quarkiverse.lock.jpa.table.Sharer;

/**
 * Asks the holders of a name to finish. The request is noted with each grant, by its fence, and so concerns no other grant. A
 * holder that has finished and only keeps the name has nothing to release.
 */
public final class RequestedRelease extends NamedOperation<Boolean> {

    private final Notifier notifier;
    private final Subscribers subscribers;

    public RequestedRelease(OperationRunner runner, String name, String id,
            Notifier notifier,
            Subscribers subscribers) {
        super(runner, name, id);
        this.notifier = notifier;
        this.subscribers = subscribers;
    }

    @Override
    public Boolean run(long deadline) throws SQLException {
        List<Notification> asked = steps.transaction(deadline, connection -> ask(connection));
        asked.forEach(subscribers::deliver); // a holder in this JVM needs no message
        if (!asked.isEmpty() && notifier.enabled()) {
            steps.<Boolean> call(deadline, connection -> {
                asked.forEach(each -> notifier.asked(connection, id, each.token(), each.fence()));
                return true;
            });
        }
        return !asked.isEmpty();
    }

    private List<Notification> ask(LockConnection connection) throws SQLException {
        LockRow row = LockRow.lock(connection, statements, id);
        QueueSnapshot line = row == null ? null : QueueSnapshot.read(connection, statements, row, id, QueueSnapshot.NO_TOKEN);
        if (row == null || line == null) {
            return List.of();
        }
        if (row.format() != LockRow.FORMAT) {
            throw runner.errors().format(name, row.format());
        }
        List<Notification> asked = new ArrayList<>();
        if (row.expires() > line.now() && row.token() != null && !row.kept()) {
            asked.add(new Notification(Notification.Kind.ASKED, row.token(), row.fence()));
            connection.update(statements.ask, id);
        }
        if (line.sharers().count() > 0) {
            Sharer.all(connection, statements, id, line.now(), QueueSnapshot.NO_TOKEN)
                    .forEach(each -> asked.add(new Notification(Notification.Kind.ASKED, each.token(), each.fence())));
            connection.update(statements.askSharers, id);
        }
        return asked;
    }
}
