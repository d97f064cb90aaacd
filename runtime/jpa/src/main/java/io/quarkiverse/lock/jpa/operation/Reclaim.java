package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;
import java.util.List;

import io.quarkiverse.lock.jpa.claim.JpaGrant;
import io.quarkiverse.lock.jpa.database.DatabaseClock;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.grace.Marker;
import io.quarkiverse.lock.jpa.table.LockNames;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.jpa.table.QueueSnapshot;
import io.quarkiverse.lock.jpa.table.Sharer;
import io.quarkiverse.lock.jpa.table.Statements;
import io.quarkiverse.lock.spi.LockTime;

/**
 * In a grace, restores a grant that its holder still has but the rows have lost: in a short transaction with the name's row
 * locked, under the original token and fence. Outside a grace nothing is restored: somebody else may have been granted the
 * name.
 * <p>
 * Of grants that exclude each other, the one with the greater fence is valid, as the rows may be older than the last grant. A
 * restored grant never displaces a valid one, since nothing is granted meanwhile.
 */
public final class Reclaim {

    private final Marker marker;
    private final Statements statements;
    private final LockNames names;
    private final String owner;
    private final LockTime time;

    public Reclaim(Marker marker, Statements statements, LockNames names, String owner, LockTime time) {
        this.marker = marker;
        this.statements = statements;
        this.names = names;
        this.owner = owner;
        this.time = time;
    }

    /** Whether a grace lasts. Begins one if necessary. */
    boolean inGrace(Steps steps, long deadline) throws SQLException {
        return steps.call(deadline, marker::leftOrBegun) > 0;
    }

    /**
     * Returns whether the grant is now held, in which case it is renewed.
     *
     * @param ending whether this is for its release, after which no late renewal may restore it
     */
    boolean putBack(Steps steps, long deadline, JpaGrant grant, boolean ending) throws SQLException {
        if (!inGrace(steps, deadline)) {
            return false;
        }
        makeRow(steps, deadline, grant.id(), grant.name());
        return steps.transaction(deadline, connection -> inTransaction(connection, grant, ending));
    }

    /** Makes the row of a name, which may have been lost. */
    void makeRow(Steps steps, long deadline, String id, String name) throws SQLException {
        steps.<Boolean> call(deadline, connection -> {
            connection.execute(statements.insertFree, id, names.readable(name));
            return true;
        });
    }

    private boolean inTransaction(LockConnection connection, JpaGrant grant, boolean ending) throws SQLException {
        LockRow row = LockRow.lock(connection, statements, grant.id());
        QueueSnapshot line = row == null ? null : QueueSnapshot.read(connection, statements, grant.id(), grant.token());
        // Only now: the transaction may have waited for the row
        if (row == null || line == null || row.format() != LockRow.FORMAT || marker.left(connection) <= 0
                || !ending && grant.releaseTried || !grant.keptAt(time.nanoTime())) {
            return false;
        }
        // Nobody has been granted it since, whatever the fences say: the clock of the server that gave them may have been ahead
        if (row.forcedUntil() > line.now()) {
            return false;
        }
        // A downgrade that was sent may have been executed in an earlier life
        return grant.claim().exclusive() ? alone(connection, grant, row, line) : together(connection, grant, row, line);
    }

    private boolean alone(LockConnection connection, JpaGrant grant, LockRow row, QueueSnapshot line) throws SQLException {
        String id = grant.id();
        if (grant.fence() < row.fence()) {
            return false;
        }
        // The holders in these rows are from before this grant
        connection.update(statements.dropHolders, id);
        connection.update(statements.dropClaim, id, grant.token());
        connection.update(statements.clear, grant.fence(), id);
        connection.update(statements.take, grant.fence(), since(grant, row, line), grant.token(), owner, until(grant, line),
                line.queueUntil(), id);
        return true;
    }

    private boolean together(LockConnection connection, JpaGrant grant, LockRow row, QueueSnapshot line) throws SQLException {
        String id = grant.id();
        String mode = QueueSnapshot.mode(grant.claim());
        boolean own = grant.token().equals(row.token()); // the rows are from before its downgrade
        boolean over = grant.fence() < row.endedBefore();
        boolean heldAlone = !own && row.expires() > line.now() && row.fence() >= grant.fence();
        if (over || heldAlone) {
            return false;
        }
        List<Sharer> sharers = Sharer.all(connection, statements, id, line.now(), grant.token());
        for (Sharer other : sharers) {
            if (!other.mode().equals(mode) && other.fence() >= grant.fence()) {
                return false;
            }
        }
        long until = until(grant, line);
        for (Sharer other : sharers) {
            if (!other.mode().equals(mode)) {
                connection.update(statements.dropClaim, id, other.token());
            }
        }
        connection.update(statements.dropClaim, id, grant.token());
        connection.update(statements.insertClaim, id, grant.token(), "H", mode, grant.claim().limit(), row.ticket(), owner,
                since(grant, row, line), until, grant.fence());
        connection.update(statements.share, Math.max(row.fence(), grant.fence()), Math.max(until, line.sharers().lastEnd()),
                line.queueUntil(), id);
        return true;
    }

    /** A fence is the clock in µs, or slightly more. */
    private static long since(JpaGrant grant, LockRow row, QueueSnapshot line) {
        return Math.max(row.since(), Math.min(line.now(), grant.fence()));
    }

    private static long until(JpaGrant grant, QueueSnapshot line) {
        return line.now() + DatabaseClock.micros(grant.leaseNanos());
    }
}
