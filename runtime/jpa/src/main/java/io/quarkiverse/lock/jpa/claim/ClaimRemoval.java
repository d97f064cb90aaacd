package io.quarkiverse.lock.jpa.claim;

import java.sql.SQLException;

import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.notify.Notifier;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.jpa.table.QueueSnapshot;
import io.quarkiverse.lock.jpa.table.Statements;

/**
 * Removes everything of a claim from the database, waiting or granted, except a grant that is only kept. It does so in a short
 * transaction with the name's row locked, because the end of the queue and the end of the shared grants depend on who is left.
 */
public final class ClaimRemoval {

    private final Steps steps;
    private final Statements statements;
    private final Notifier notifier;

    public ClaimRemoval(Steps steps, Statements statements, Notifier notifier) {
        this.steps = steps;
        this.statements = statements;
        this.notifier = notifier;
    }

    /** Whether anything was removed. */
    public boolean remove(String id, String token) throws SQLException {
        return remove(steps.deadline(), id, token);
    }

    /** The same, within a deadline set earlier. */
    public boolean remove(long deadline, String id, String token) throws SQLException {
        // An attempt without a reply may have done it
        boolean[] any = new boolean[1];
        boolean awaited = steps.transaction(deadline,
                connection -> inTransaction(connection, id, token, any));
        if (awaited) {
            steps.<Boolean> call(deadline, connection -> {
                notifier.wakeFirst(connection, id);
                return true;
            });
        }
        return any[0];
    }

    /** Whether others wait. */
    private boolean inTransaction(LockConnection connection, String id, String token,
            boolean[] any) throws SQLException {
        LockRow row = LockRow.lock(connection, statements, id);
        if (row == null || row.format() != LockRow.FORMAT) {
            // A row of a newer format cannot hold this claim: the claim was refused
            return false;
        }
        any[0] |= connection.update(statements.dropClaim, id, token) > 0;
        QueueSnapshot left = QueueSnapshot.read(connection, statements, row, id, token);
        if (left != null) {
            long now = left.now();
            // The last to leave records the time of use. While others hold the name, that would say their grants are over.
            boolean last = row.sharedUntil() > 0 && left.sharers().count() == 0;
            connection.update(statements.settle, last ? Math.max(row.since(), now) : row.since(), left.sharers().lastEnd(),
                    left.queueUntil(), id);
        }
        if (token.equals(row.token()) && !row.kept()) {
            connection.update(statements.forget, id, token);
            any[0] = true;
        }
        return left != null && left.others() > 0;
    }
}
