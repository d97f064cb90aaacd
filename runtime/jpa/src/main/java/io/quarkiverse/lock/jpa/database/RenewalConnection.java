package io.quarkiverse.lock.jpa.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The connection on which this JVM renews its leases. It is not pooled: an application that exhausts its pool must not lose the
 * locks it holds in a healthy database. It is opened at the first renewal and kept. Only the renewal thread uses it. The pool
 * steps in when it cannot be opened, for example because the server limits connections, or when the database refuses a renewal
 * on it.
 */
public final class RenewalConnection implements ConnectionSource {

    private static final Logger LOG = Logger.getLogger(RenewalConnection.class);
    /** A connection that was idle for longer may have been dropped on the way, without notice. */
    private static final long TRUSTED_IDLE = TimeUnit.SECONDS.toNanos(60);
    private static final int VALIDATION_SECONDS = 1;

    private final BoundedConnections outside;
    private final ConnectionSource pool;
    private final ErrorMessages errors;

    /** Guarded by this; removed while a step uses it. */
    private @Nullable Connection idle;
    private long idleSince;
    private boolean closed;

    /** Used by the renewing thread only. */
    private @Nullable Connection used;
    /** A connection that took longer to open than a renewal could wait. */
    private volatile @Nullable CompletableFuture<Connection> late;
    /** Whether the database has refused a renewal on it, and the pool works. Used by the renewing thread only. */
    private boolean refused;
    /** Whether a refusal was logged, and no renewal has worked since. Used by the renewing thread only. */
    private boolean told;
    /** Whether the last one was late. Used by the renewing thread only. */
    private boolean slow;

    /** @param pool the fallback */
    public RenewalConnection(BoundedConnections outside, ConnectionSource pool, ErrorMessages errors) {
        this.outside = outside;
        this.pool = pool;
        this.errors = errors;
    }

    @Override
    public Connection take(long deadline) throws SQLException {
        used = null;
        if (refused) {
            refused = false; // unless the pool does better
            Connection instead = pool.take(deadline);
            refused = true;
            return instead;
        }
        used = kept();
        if (used == null) {
            used = open(deadline);
        }
        return used == null ? pool.take(deadline) : used;
    }

    @Override
    public void giveBack(Connection connection, @Nullable Throwable failure) throws SQLException {
        boolean denied = failure != null && SqlFailure.of(failure).denies();
        if (denied && !told) {
            LOG.warnf("Locks are not renewed for now: %s", errors.reason(failure));
        }
        told = failure != null && (told || denied);
        if (connection != used) {
            refused &= failure == null;
            pool.giveBack(connection, failure);
            return;
        }
        used = null;
        refused = denied;
        if (failure != null || !keep(connection)) {
            connection.close();
        }
    }

    private @Nullable Connection kept() throws SQLException {
        Connection kept;
        long since;
        synchronized (this) {
            kept = idle;
            since = idleSince;
            idle = null;
        }
        if (kept == null || kept.isClosed()) {
            return null;
        }
        if (System.nanoTime() - since > TRUSTED_IDLE && !kept.isValid(VALIDATION_SECONDS)) {
            kept.close();
            return null;
        }
        return kept;
    }

    private synchronized boolean keep(Connection connection) {
        if (closed) {
            return false;
        }
        idle = connection;
        idleSince = System.nanoTime();
        return true;
    }

    /**
     * Null if it cannot be opened in half of the time; the other half is for the pool. Renewals wait only until one was late: a
     * short lease must not pay for a server that hangs again and again.
     */
    private @Nullable Connection open(long deadline) {
        CompletableFuture<Connection> opening = late == null ? outside.opening() : late;
        late = null;
        try {
            Connection made = opening.get(slow ? 0 : (deadline - System.nanoTime()) / 2, TimeUnit.NANOSECONDS);
            slow = false;
            return made;
        } catch (TimeoutException e) {
            late = opening;
            slow = true;
        } catch (InterruptedException e) {
            late = opening;
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            LOG.debugf("Leases are renewed on a connection of the pool, since a separate one cannot be opened: %s",
                    e.getCause());
        }
        return null;
    }

    /** No more renewals follow; a running one closes the connection when it ends. */
    public void close() {
        Connection last;
        synchronized (this) {
            closed = true;
            last = idle;
            idle = null;
        }
        BoundedConnections.end(last);
        CompletableFuture<Connection> opening = late;
        if (opening != null) {
            opening.whenComplete((made, failure) -> BoundedConnections.end(made));
        }
    }
}
