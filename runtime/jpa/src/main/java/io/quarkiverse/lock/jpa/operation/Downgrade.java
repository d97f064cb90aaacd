package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.claim.ClaimRegistry;
import io.quarkiverse.lock.jpa.claim.JpaGrant;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.notify.NotificationListener;
import io.quarkiverse.lock.jpa.notify.Notifier;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.jpa.table.QueueSnapshot;

/**
 * Turns a writer into a reader. In one short transaction with the name's row locked, the grant moves from that row to one of
 * the claims that share the name. Its fence and its end stay the same. The engine retries it after a failure.
 */
public final class Downgrade extends NamedOperation<Boolean> {

    private final JpaGrant grant;
    private final Notifier notifier;
    private final @Nullable NotificationListener listener;
    private final ClaimRegistry registry;
    private final @Nullable Reclaim reclaim;

    public Downgrade(OperationRunner runner, JpaGrant grant, Notifier notifier,
            @Nullable NotificationListener listener, ClaimRegistry registry, @Nullable Reclaim reclaim) {
        super(runner, grant.name(), grant.id());
        this.grant = grant;
        this.notifier = notifier;
        this.listener = listener;
        this.registry = registry;
        this.reclaim = reclaim;
    }

    @Override
    public Boolean run(long deadline) throws SQLException {
        boolean there = steps.transaction(deadline, this::inTransaction);
        if (!there && reclaim != null && reclaim.putBack(steps, deadline, grant, false)) {
            there = steps.transaction(deadline, this::inTransaction);
        }
        if (!there) {
            registry.over(grant);
            return false;
        }
        grant.alone = false;
        if (listener != null) {
            listener.start(); // a holder that lets readers join has to stop as soon as a writer waits
        }
        if (notifier.enabled()) {
            steps.<Boolean> call(deadline, connection -> {
                notifier.wakeFirst(connection, id); // each claim that gets in wakes the next
                return true;
            });
        }
        return true;
    }

    private boolean inTransaction(LockConnection connection) throws SQLException {
        LockRow row = LockRow.lock(connection, statements, id);
        QueueSnapshot line = row == null ? null : QueueSnapshot.read(connection, statements, id, grant.token());
        if (row == null || line == null) {
            return false;
        }
        if (row.format() != LockRow.FORMAT) {
            throw runner.errors().format(name, row.format());
        }
        if (!grant.token().equals(row.token()) || row.expires() <= line.now() || row.kept()) {
            // An earlier attempt without a reply may have done it
            return line.shares(row);
        }
        connection.update(statements.dropClaim, id, grant.token());
        connection.update(statements.insertClaim, id, grant.token(), "H", "S", 0, row.ticket(), row.owner(), row.since(),
                row.expires(), row.fence());
        if (row.releaseAsked()) {
            connection.update(statements.askSharers, id); // this is the only sharer
        }
        connection.update(statements.share, row.fence(), row.expires(), line.queueUntil(), id);
        return true;
    }
}
