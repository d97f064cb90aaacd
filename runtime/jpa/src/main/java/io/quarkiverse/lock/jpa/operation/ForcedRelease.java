package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.database.SqlFailure;
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
     *
     * @param upTo the fence that the last attempt found: grants with a greater one are later than that
     */
    private record Ended(Set<Notification> news, boolean any, boolean awaited, long upTo) {

        Ended and(List<Notification> more, boolean anyMore, boolean awaitedToo, long fence) {
            var all = new LinkedHashSet<>(news);
            all.addAll(more);
            return new Ended(all, any || anyMore, awaited || awaitedToo, fence);
        }
    }

    private final Notifier notifier;
    private final Subscribers subscribers;
    private final @Nullable Reclaim reclaim;
    private Ended ended = new Ended(Set.of(), false, false, Long.MAX_VALUE);

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
        steps.<Boolean> call(deadline, connection -> attempt(connection, deadline));
        Ended all = ended;
        all.news.forEach(subscribers::deliver); // a holder in this JVM needs no message
        if (!all.news.isEmpty() || all.awaited) {
            steps.<Boolean> call(deadline, connection -> {
                all.news.forEach(lost -> notifier.lost(connection, id, lost.token(), lost.fence()));
                if (all.awaited) {
                    notifier.wakeFirst(connection, id);
                }
                return true;
            });
        }
        return all.any;
    }

    private boolean attempt(LockConnection connection, long deadline) throws SQLException {
        Ended before = ended;
        try {
            return steps.<Boolean> asTransaction(deadline, transaction -> {
                inTransaction(transaction);
                return true;
            }).run(connection);
        } catch (SQLException | RuntimeException e) {
            if (SqlFailure.of(e).undone()) {
                ended = before; // whoever it found may have given the name back since, and another may have it
            }
            throw e;
        }
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
        connection.update(statements.dropHolders, id);
        connection.update(statements.clear, Math.max(row.fence() + 1, now), id);
        if (reclaim != null) {
            connection.update(statements.forced, id); // a grace may begin before the holders know, or may have lost them
        }
        ended = ended.and(holders, row.expires() > now || row.sharedUntil() > now, row.queueUntil() > now, row.fence());
    }
}
