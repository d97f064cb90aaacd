package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.database.SqlFailure;

/**
 * Sees to it that a name has a row before a transaction locks it: on a connection of its own, so that no transaction has to
 * wait for the one that inserts it, and so that a rollback does not take it away. What this JVM has seen it does not look for
 * again, until a lock has missed it.
 */
public final class RowCreation {

    private static final int REMEMBERED = 10_000;

    private final LockDatabase database;
    private final String find;
    private final String insert;
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    RowCreation(LockDatabase database) {
        this.database = database;
        find = "SELECT 1 FROM " + database.lockTable() + " WHERE id = ?";
        insert = database.statements().insertFree;
    }

    /** @param readable the name for people, if it has no row yet */
    void ensure(String name, String id, Supplier<String> readable) {
        if (seen.contains(id)) {
            return;
        }
        var done = new CompletableFuture<Boolean>();
        // Not here: a connection that is got on this thread is the transaction's
        boolean runs = database.workers().run(() -> {
            try {
                make(id, readable);
                done.complete(true);
            } catch (SQLException | RuntimeException e) {
                done.completeExceptionally(e);
            }
        });
        if (!runs) {
            throw database.explain().closed(name);
        }
        await(name, done);
        if (seen.size() >= REMEMBERED) {
            seen.clear();
        }
        seen.add(id);
    }

    private void await(String name, CompletableFuture<Boolean> done) {
        try {
            done.get(database.options().operationTimeout().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(name);
        } catch (TimeoutException e) {
            throw database.explain().timeout(name);
        } catch (ExecutionException e) {
            throw database.explain().failure(name, e.getCause());
        }
    }

    void forget(String id) {
        seen.remove(id);
    }

    private void make(String id, Supplier<String> readable) throws SQLException {
        long deadline = database.deadline();
        if (there(deadline, id)) {
            return;
        }
        try {
            database.<Boolean> call(deadline, connection -> {
                connection.execute(insert, id, readable.get());
                return true;
            });
        } catch (SQLException e) {
            // Others have inserted it, and may have locked it by now so that this waited in vain
            if (SqlFailure.of(e) == SqlFailure.REFUSED || !there(deadline, id)) {
                throw e;
            }
        }
    }

    private boolean there(long deadline, String id) throws SQLException {
        return database.call(deadline, connection -> connection.first(find, row -> true, id) != null);
    }
}
