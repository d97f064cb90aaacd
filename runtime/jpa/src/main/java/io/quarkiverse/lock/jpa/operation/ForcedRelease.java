package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.notify.Notification;
import io.quarkiverse.lock.jpa.notify.Notifier;
import io.quarkiverse.lock.jpa.notify.Subscribers;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.jpa.table.QueueSnapshot;
import io.quarkiverse.lock.jpa.table.Sharer;

/**
 * Ends all grants of a name and raises its fence. Waiters keep their places. It does so once, however often it has to be tried:
 * it is made anew for each subscription.
 */
public final class ForcedRelease extends NamedOperation<Boolean> {

    /**
     * What was ended, for notification after the commit. Collected over all attempts, even those on another thread, since one
     * without a reply may have done it.
     */
    private static final class Ended {

        final Set<Notification> news = new LinkedHashSet<>();
        boolean any;
        boolean awaited;
        /** The fence that the last attempt found: grants with a greater one are later than that. */
        long upTo = Long.MAX_VALUE;
    }

    private final Notifier notifier;
    private final Subscribers subscribers;
    private final @Nullable Reclaim reclaim;
    private final Ended ended = new Ended();

    public ForcedRelease(OperationRunner runner, String name, String id, Notifier notifier,
            Subscribers subscribers, @Nullable Reclaim reclaim) {
        super(runner, name, id);
        this.notifier = notifier;
        this.subscribers = subscribers;
        this.reclaim = reclaim;
    }

    @Override
    public Boolean run(long deadline) throws SQLException {
        boolean grace = reclaim != null && reclaim.inGrace(steps, deadline);
        if (grace) {
            reclaim.makeRow(steps, deadline, id, name);
        }
        steps.<Boolean> transaction(deadline, connection -> {
            inTransaction(connection);
            return true;
        });
        ended.news.forEach(subscribers::deliver); // a holder in this JVM needs no message
        if (!ended.news.isEmpty() || ended.awaited) {
            steps.<Boolean> call(deadline, connection -> {
                ended.news.forEach(lost -> notifier.lost(connection, id, lost.token(), lost.fence()));
                if (ended.awaited) {
                    notifier.wakeFirst(connection, id);
                }
                return true;
            });
        }
        return ended.any;
    }

    private void inTransaction(LockConnection connection) throws SQLException {
        LockRow row = LockRow.lock(connection, statements, id);
        QueueSnapshot line = row == null ? null : QueueSnapshot.read(connection, statements, row, id, QueueSnapshot.NO_TOKEN);
        if (row == null || line == null) {
            return;
        }
        if (row.format() != LockRow.FORMAT) {
            throw runner.errors().format(name, row.format());
        }
        long now = line.now();
        var holders = new ArrayList<Notification>();
        if (row.expires() > now && row.token() != null) {
            holders.add(new Notification(Notification.Kind.LOST, row.token(), row.fence()));
        }
        Sharer.all(connection, statements, id, now, QueueSnapshot.NO_TOKEN)
                .forEach(each -> holders.add(new Notification(Notification.Kind.LOST, each.token(), each.fence())));
        if (!holders.isEmpty() && holders.stream().allMatch(each -> each.fence() > ended.upTo)) {
            return; // an attempt without a reply has done it, and these have been granted the name since
        }
        ended.upTo = row.fence();
        ended.news.addAll(holders);
        connection.update(statements.dropHolders, id);
        connection.update(statements.clear, Math.max(row.fence() + 1, now), id);
        if (reclaim != null) {
            connection.update(statements.forced, id); // a grace may begin before the holders know, or may have lost them
        }
        ended.any |= row.expires() > now || row.sharedUntil() > now;
        ended.awaited |= row.queueUntil() > now;
    }
}
