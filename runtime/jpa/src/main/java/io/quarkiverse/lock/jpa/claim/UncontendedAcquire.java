package io.quarkiverse.lock.jpa.claim;

import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.JpaLockBackend;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.database.DatabaseClock;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.database.SqlFailure;
import io.quarkiverse.lock.jpa.dialect.LockDialect.FencedAt;
import io.quarkiverse.lock.jpa.table.Statements;

/** The uncontended acquire: one conditional statement, and one more for a name that has no row yet. */
public final class UncontendedAcquire {

    private static final int REMEMBERED = 10_000;

    private final LockDatabase database;
    /** Names that have a row, as far as this JVM has seen: the others are worth an insert. */
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    public UncontendedAcquire(LockDatabase database) {
        this.database = database;
    }

    /** The grant, or null if somebody is in the way; or, seldom, when the database's clock was misjudged. */
    @Nullable
    public FencedAt run(LockConnection connection, String id, Supplier<String> readableName, String token, String owner,
            long leaseNanos,
            Attempts attempts) throws SQLException {
        Statements statements = database.statements();
        long guard = guard(connection, attempts);
        long lease = JpaLockBackend.micros(leaseNanos);
        try {
            FencedAt granted = database.dialect().grant(connection, statements, id, token,
                    statements.grantParameters(id, token, owner, lease, guard));
            if (granted == null && remember(id)) {
                granted = database.dialect().insert(connection, statements, id, token,
                        statements.insertParameters(id, readableName.get(), token, owner, lease, guard));
            }
            if (granted != null) {
                database.clock().read(granted.now());
            }
            return granted;
        } catch (SQLException e) {
            throw noted(e, attempts);
        }
    }

    /** The database's time until which the statement that is sent now may be executed; that it is sent is noted. */
    public long guard(LockConnection connection, Attempts attempts) throws SQLException {
        DatabaseClock clock = database.clock();
        if (clock.stale()) {
            clock.read(now(connection));
        }
        long timeout = database.options().operationTimeout().toNanos();
        attempts.sending(System.nanoTime() + timeout);
        return clock.in(timeout);
    }

    /** A guarded statement may have had no reply. */
    public static SQLException noted(SQLException failure, Attempts attempts) {
        if (SqlFailure.of(failure) == SqlFailure.CONNECTION) {
            attempts.failedWithoutReply();
        }
        return failure;
    }

    /**
     * The row of a name that several will hold, which takes more than one statement. In no transaction: others may do so too.
     */
    public void makeRow(long until, String id, String readableName) throws SQLException {
        try {
            database.<Boolean> call(until, connection -> {
                connection.execute(database.statements().insertFree, id, readableName);
                return true;
            });
        } catch (SQLException e) {
            if (SqlFailure.of(e) != SqlFailure.DUPLICATE) {
                throw e;
            }
        }
    }

    /** Its row has gone. */
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
        Long now = connection.first(database.statements().now, row -> row.getLong(1));
        return now == null ? 0 : now;
    }

    /**
     * So long after a request without reply nothing of it can happen any more, database's and own reading of time allowed for.
     */
    public static long grace() {
        return TimeUnit.MILLISECONDS.toNanos(200);
    }
}
