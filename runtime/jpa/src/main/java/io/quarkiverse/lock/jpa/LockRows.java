package io.quarkiverse.lock.jpa;

import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.quarkiverse.lock.LockInterruptedException;

/**
 * Sees to it that a name has a row before a transaction locks it: on a connection of its own, so that no transaction has to
 * wait for the one that inserts it, and so that a rollback does not take it away. What this JVM has seen it does not look for
 * again, until the row could have been purged as idle: a transaction that only locks it leaves no trace of use.
 */
final class LockRows {

    private static final int REMEMBERED = 10_000;

    private final LockDatabase database;
    private final RowLock rowLock;
    private final long trustNanos;
    private final String insert;
    private final String since;
    private final String touch;
    /** Id to when its row was seen or touched. */
    private final Map<String, Long> seen = new ConcurrentHashMap<>();

    LockRows(LockDatabase database, RowLock rowLock) {
        this.database = database;
        this.rowLock = rowLock;
        long purgeAfter = database.options().purgeAfter().toNanos();
        trustNanos = purgeAfter == 0 ? Long.MAX_VALUE : purgeAfter / 4;
        String now = database.dialect().now();
        String table = database.lockTable();
        insert = database.statements().insertFree;
        since = "SELECT " + now + " - since FROM " + table + " WHERE id = ?";
        touch = "UPDATE " + table + " SET since = " + now + " WHERE id = ?";
    }

    /** @param readable the name for people, if it has no row yet */
    void ensure(String name, String id, Supplier<String> readable) {
        Long at = seen.get(id);
        if (at != null && System.nanoTime() - at < trustNanos) {
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
        seen.put(id, System.nanoTime());
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
        Long idleMicros = idle(deadline, id);
        if (idleMicros == null) {
            try {
                database.<Boolean> call(deadline, connection -> {
                    connection.execute(insert, id, readable.get());
                    return true;
                });
            } catch (SQLException e) {
                // Others have inserted it, and may have locked it by now so that this waited in vain
                if (SqlFailure.of(e) == SqlFailure.REFUSED || idle(deadline, id) == null) {
                    throw e;
                }
            }
        } else if (TimeUnit.MICROSECONDS.toNanos(idleMicros) > trustNanos) {
            touch(deadline, id);
        }
    }

    /** For how many µs, for all that the row says; null if there is none. */
    private @org.jspecify.annotations.Nullable Long idle(long deadline, String id) throws SQLException {
        return database.call(deadline, connection -> connection.first(since, row -> row.getLong(1), id));
    }

    private void touch(long deadline, String id) throws SQLException {
        try {
            database.transaction(deadline, connection -> {
                rowLock.lock(connection.jdbc(), id, 0, statement -> {
                });
                return connection.update(touch, id);
            });
        } catch (SQLException | RuntimeException e) {
            if (RowLockFailure.of(e) != RowLockFailure.BUSY) {
                throw e;
            }
            // Somebody has it locked: then it is not purged meanwhile
        }
    }
}
