package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import org.hibernate.LockMode;
import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;
import org.hibernate.StatelessSessionBuilder;
import org.hibernate.context.spi.CurrentTenantIdentifierResolver;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.jpa.SpecHints;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.Isolation;
import io.quarkiverse.lock.jpa.table.LockRow;

/** All other databases: Hibernate knows how to lock a row and wait for it there. */
public final class PortableRowLock implements RowLock {

    /** With tenants distinguished by a column, no session opens without one. The rows of locks belong to none. */
    private static final Object NO_TENANT = "";

    private final SessionFactory sessions;
    private final String table;
    private final String now;
    private final RowLockErrors errors;
    private final boolean locksToLook;

    /**
     * @param locksToLook whether nobody can read what others have not committed, or only who waits for their commit
     */
    PortableRowLock(SessionFactory sessions, String table, String now, RowLockErrors errors, boolean locksToLook) {
        this.sessions = sessions;
        this.table = table;
        this.now = now;
        this.errors = errors;
        this.locksToLook = locksToLook;
    }

    @Override
    public @Nullable Locked lock(Connection connection, String id, long waitMillis, Running running) throws SQLException {
        LockRow row = row(connection, id, LockMode.PESSIMISTIC_WRITE, waitMillis);
        if (row == null) {
            return null;
        }
        long at = now(connection);
        long fence = RowLock.nextFence(row.fence(), at);
        RowLock.write(connection, table, id, fence, at);
        return new Locked(row.format(), fence, at, null, table);
    }

    private @Nullable LockRow row(Connection connection, String id, LockMode mode, long waitMillis) {
        try (StatelessSession session = session(connection)) {
            return session.createSelectionQuery("from QuarkusLockRow where id = :id", LockRow.class)
                    .setParameter("id", id)
                    .setHibernateLockMode(mode)
                    .setHint(SpecHints.HINT_SPEC_LOCK_TIMEOUT, (int) Math.min(waitMillis, Integer.MAX_VALUE))
                    .getSingleResultOrNull();
        }
    }

    /** The tenant of a request stays: the application may refuse to judge any other. */
    private StatelessSession session(Connection connection) {
        StatelessSessionBuilder session = sessions.withStatelessOptions().connection(connection);
        CurrentTenantIdentifierResolver<?> tenants = sessions.unwrap(SessionFactoryImplementor.class)
                .getCurrentTenantIdentifierResolver();
        boolean unknown = tenants != null && tenants.resolveCurrentTenantIdentifier() == null;
        return (unknown ? session.tenantIdentifier(NO_TENANT) : session).openStatelessSession();
    }

    @Override
    public boolean held(Connection connection, String id) throws SQLException {
        return locksToLook ? !lockable(connection, id) : RowLock.super.held(connection, id);
    }

    @Override
    public Set<String> held(Connection connection, Map<String, Long> committed) throws SQLException {
        if (!locksToLook) {
            return RowLock.super.held(connection, committed);
        }
        Set<String> held = new HashSet<>();
        for (String id : committed.keySet()) {
            if (!lockable(connection, id)) {
                held.add(id);
            }
        }
        return held;
    }

    /** For that moment, a caller that does not wait may find the row busy, unless the database can share it. */
    private boolean lockable(Connection connection, String id) throws SQLException {
        try (var isolation = Isolation.of(connection, Connection.TRANSACTION_READ_COMMITTED)) {
            connection.setAutoCommit(false);
            try {
                row(connection, id, LockMode.PESSIMISTIC_READ, 0);
                return true;
            } catch (RuntimeException e) {
                RowLockFailure why = why(e);
                if (why == RowLockFailure.BUSY || why == RowLockFailure.BUSY_AND_UNDONE) {
                    return false;
                }
                throw e;
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        }
    }

    @Override
    public boolean readsPastLocks(int isolation) {
        return false; // not on each such database
    }

    @Override
    public RowLockFailure why(Throwable failure) {
        return errors.of(failure);
    }

    @Override
    public String table() {
        return table;
    }

    private long now(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(now); ResultSet row = statement.executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }
}
