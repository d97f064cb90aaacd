package io.quarkiverse.lock.jpa.claim;

import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.claim.JpaGrant.Attempts;
import io.quarkiverse.lock.jpa.database.DatabaseClock;
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.database.SqlFailure;
import io.quarkiverse.lock.jpa.database.Step;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.dialect.LockDialect;
import io.quarkiverse.lock.jpa.dialect.LockDialect.FencedAt;
import io.quarkiverse.lock.jpa.grace.Marker;
import io.quarkiverse.lock.jpa.table.Statements;
import io.quarkiverse.lock.spi.Busy;

/** The uncontended acquire: one conditional statement, and one more for a name that has no row yet. */
public final class UncontendedAcquire {

    /**
     * As many names as an engine keeps, so that memory hardly grows with the names. A forgotten name may cost a futile insert.
     */
    private static final int REMEMBERED = 1024;

    private final Steps steps;
    private final LockDialect dialect;
    private final Statements statements;
    private final DatabaseClock clock;
    private final @Nullable Marker marker;
    private final long timeoutNanos;
    /** Names that have a row, as far as this JVM has seen. For the others, an insert is worthwhile. */
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    public UncontendedAcquire(Steps steps, LockDialect dialect, Statements statements, DatabaseClock clock,
            @Nullable Marker marker, JpaLockOptions options) {
        this.steps = steps;
        this.dialect = dialect;
        this.statements = statements;
        this.clock = clock;
        this.marker = marker;
        timeoutNanos = options.operationTimeout().toNanos();
    }

    /** The grant, or null if somebody is in the way or, rarely, if the database's clock was misjudged. */
    @Nullable
    public FencedAt run(LockConnection connection, String id, Supplier<String> readableName, String token, String owner,
            long leaseNanos,
            Attempts attempts) throws SQLException {
        long guard = guard(connection, attempts);
        long lease = DatabaseClock.micros(leaseNanos);
        try {
            FencedAt granted = dialect.grant(connection, statements.ofGrants, id, token,
                    statements.grantParameters(id, token, owner, lease, guard));
            if (granted == null && remember(id)) {
                if (marker == null) {
                    Object[] parameters = statements.insertParameters(id, readableName.get(), token, owner, lease, guard);
                    granted = insertUnlessThere(connection, id,
                            step -> dialect.insert(step, statements.ofGrants, id, token, parameters));
                } else {
                    // An insert that waits for a row being deleted has checked the marker before the wait
                    connection.execute(statements.insertFree, id, readableName.get());
                    granted = dialect.grant(connection, statements.ofGrants, id, token,
                            statements.grantParameters(id, token, owner, lease, guard));
                }
            }
            if (granted != null) {
                clock.read(granted.now());
            }
            return granted;
        } catch (SQLException e) {
            throw noted(e, attempts);
        }
    }

    /**
     * Runs an insert of a name's row, and once more if what was in its way is gone since. Null if the row is there.
     *
     * @throws SQLException if another constraint, or a trigger, refuses the row
     */
    private <T> @Nullable T insertUnlessThere(LockConnection connection, String id, Step<T> insert) throws SQLException {
        for (int attempt = 1;; attempt++) {
            try {
                return insert.run(connection);
            } catch (SQLException e) {
                if (SqlFailure.of(e) != SqlFailure.DUPLICATE) {
                    throw e;
                }
                if (connection.first(statements.state, row -> true, id) != null) {
                    return null;
                }
                if (attempt > 1) {
                    throw e;
                }
            }
        }
    }

    /** Null where no grace applies: locks are granted at once, whatever has happened. */
    @Nullable
    Marker marker() {
        return marker;
    }

    /** The answer for a claim that does not wait and found nobody in its way. */
    Busy busy(LockConnection connection) throws SQLException {
        long grace = marker == null ? 0 : marker.leftOrBegun(connection);
        return new Busy(grace > 0 ? Marker.nobodyFor(grace) : null);
    }

    /** The database time until which the statement about to be sent may be executed. Also notes the sending. */
    public long guard(LockConnection connection, Attempts attempts) throws SQLException {
        if (clock.stale()) {
            clock.read(now(connection));
        }
        attempts.sending(System.nanoTime() + timeoutNanos);
        return clock.in(timeoutNanos);
    }

    /** Notes that a guarded statement may have had no reply. */
    public static SQLException noted(SQLException failure, Attempts attempts) {
        if (SqlFailure.of(failure) == SqlFailure.CONNECTION) {
            attempts.failedWithoutReply();
        }
        return failure;
    }

    /**
     * Makes the row of a name that several will hold, whose grant takes more than one statement. Not in a transaction: others
     * may do the same.
     */
    public void makeRow(long until, String id, String readableName) throws SQLException {
        steps.call(until, connection -> insertUnlessThere(connection, id, step -> {
            step.execute(statements.insertFree, id, readableName);
            return true;
        }));
    }

    /** Its row is gone. */
    public void forget(String id) {
        seen.remove(id);
    }

    private boolean remember(String id) {
        if (seen.size() > REMEMBERED) {
            seen.clear();
        }
        return seen.add(id);
    }

    private long now(LockConnection connection) throws SQLException {
        Long now = connection.first(statements.now, row -> row.getLong(1));
        return now == null ? 0 : now;
    }

    /**
     * This long after the time until which an unanswered request is valid, it can have no effect any more. Allows for the
     * readings of both the database's clock and our own.
     */
    public static long grace() {
        return TimeUnit.MILLISECONDS.toNanos(200);
    }
}
