package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.jpa.database.ErrorMessages;
import io.quarkiverse.lock.jpa.database.SqlFailure;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.database.Workers;
import io.quarkiverse.lock.jpa.table.Statements;

/**
 * Ensures that a name has a row before a transaction locks it. It uses a separate connection, so that no transaction has to
 * wait for the insert, and no rollback removes it. Rows that this JVM has seen are not looked up again, until a lock misses
 * one.
 */
public final class RowCreation {

    /** About 1.2 MiB at most. A forgotten name costs a lookup of its row, on another connection, with each lock. */
    private static final int REMEMBERED = 10_000;

    private final Steps steps;
    private final Workers workers;
    private final Duration timeout;
    private final ErrorMessages errors;
    private final String find;
    private final String insert;
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    RowCreation(Steps steps, Workers workers, Statements statements, String lockTable, Duration timeout,
            ErrorMessages errors) {
        this.steps = steps;
        this.workers = workers;
        this.timeout = timeout;
        this.errors = errors;
        find = "SELECT 1 FROM " + lockTable + " WHERE id = ?";
        insert = statements.insertFree;
    }

    /** @param readable the name for people, used if it has no row yet */
    void ensure(String name, String id, Supplier<String> readable) {
        if (seen.contains(id)) {
            return;
        }
        var inserting = new AtomicBoolean();
        var done = new CompletableFuture<Boolean>();
        // Not here: on this thread, a connection would be the transaction's
        if (!started(name, () -> {
            try {
                make(id, readable, inserting);
                done.complete(true);
            } catch (SQLException | RuntimeException | Error e) { // a class or memory may be missing
                done.completeExceptionally(e);
            }
        })) {
            throw errors.closed(name);
        }
        await(name, done, inserting);
        if (seen.size() >= REMEMBERED) {
            seen.clear();
        }
        seen.add(id);
    }

    private boolean started(String name, Runnable work) {
        try {
            return workers.run(work);
        } catch (RuntimeException | Error e) { // there may be no thread available
            throw errors.failure(name, e);
        }
    }

    /** @param inserting whether the insert was sent to the database */
    private void await(String name, CompletableFuture<Boolean> done, AtomicBoolean inserting) {
        try {
            done.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(name);
        } catch (TimeoutException e) {
            throw inserting.get() ? errors.rowHeldBack(name, null) : errors.timeout(name);
        } catch (ExecutionException e) {
            boolean heldBack = inserting.get() && SqlFailure.of(e.getCause()) == SqlFailure.COLLISION;
            throw heldBack ? errors.rowHeldBack(name, e.getCause()) : errors.failure(name, e.getCause());
        }
    }

    void forget(String id) {
        seen.remove(id);
    }

    private void make(String id, Supplier<String> readable, AtomicBoolean inserting) throws SQLException {
        long deadline = steps.deadline();
        if (there(deadline, id)) {
            return;
        }
        try {
            steps.<Boolean> call(deadline, connection -> {
                inserting.set(true);
                connection.execute(insert, id, readable.get());
                return true;
            });
        } catch (SQLException e) {
            // Others have inserted it, and may have locked it since, so that this insert waited in vain
            if (SqlFailure.of(e) == SqlFailure.REFUSED || !there(deadline, id)) {
                throw e;
            }
        }
    }

    private boolean there(long deadline, String id) throws SQLException {
        return steps.call(deadline, connection -> connection.first(find, row -> true, id) != null);
    }
}
