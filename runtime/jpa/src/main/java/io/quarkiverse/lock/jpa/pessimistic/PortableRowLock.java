package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

import org.hibernate.LockMode;
import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;
import org.hibernate.jpa.SpecHints;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.table.LockRow;

/** All other databases: Hibernate knows how to lock a row and wait for it there. */
public final class PortableRowLock implements RowLock {

    private final SessionFactory sessions;
    private final String table;
    private final String now;
    private final RowLockErrors errors;

    PortableRowLock(SessionFactory sessions, String table, String now, RowLockErrors errors) {
        this.sessions = sessions;
        this.table = table;
        this.now = now;
        this.errors = errors;
    }

    @Override
    public @Nullable Locked lock(Connection connection, String id, long waitMillis, Running running) throws SQLException {
        LockRow row;
        try (StatelessSession session = sessions.withStatelessOptions().connection(connection).openStatelessSession()) {
            row = session.createSelectionQuery("from QuarkusLockRow where id = :id", LockRow.class)
                    .setParameter("id", id)
                    .setHibernateLockMode(LockMode.PESSIMISTIC_WRITE)
                    .setHint(SpecHints.HINT_SPEC_LOCK_TIMEOUT, (int) Math.min(waitMillis, Integer.MAX_VALUE))
                    .getSingleResultOrNull();
        }
        if (row == null) {
            return null;
        }
        long at = now(connection);
        long fence = RowLock.nextFence(row.fence(), at);
        RowLock.write(connection, table, id, fence, at);
        return new Locked(row.format(), fence, at, null, table);
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
