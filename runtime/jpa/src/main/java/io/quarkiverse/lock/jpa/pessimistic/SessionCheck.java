package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.BoundedConnections;
import io.quarkiverse.lock.jpa.database.NetworkTimeout;
import io.quarkiverse.lock.jpa.database.SqlFailure;
import io.quarkiverse.lock.jpa.table.Statements;
import io.quarkiverse.lock.spi.Renewal;

/**
 * Checks whether transactions still have their rows locked, without touching their connections, which are the application's. It
 * asks the database for the sessions or, where sessions are unknown, tries the rows. It uses an unpooled connection: an empty
 * pool says nothing about the locks. The pool steps in when that cannot be opened. Behind an address of several servers, it may
 * reach another server than they do, which says nothing about them either.
 */
public final class SessionCheck {

    private final @Nullable BoundedConnections outside;
    private final DataSource pool;
    private final RowLock rowLock;
    private final long timeoutNanos;

    /** @param pool the fallback */
    SessionCheck(@Nullable BoundedConnections outside, DataSource pool, RowLock rowLock, Duration timeout) {
        this.outside = outside;
        this.pool = pool;
        timeoutNanos = timeout.toNanos();
        this.rowLock = rowLock;
    }

    /** On a worker. */
    Renewal check(List<TransactionGrant> grants) throws SQLException {
        var locked = new ArrayList<TransactionGrant>();
        for (TransactionGrant grant : grants) {
            if (grant.locked()) {
                locked.add(grant);
            }
        }
        if (locked.isEmpty()) {
            return new Renewal(grants, List.of(), List.of());
        }
        var lost = new HashSet<TransactionGrant>();
        try (Connection connection = open()) {
            if (connection != null) {
                lost.addAll(lost(connection, locked));
            }
        }
        // Only now: what had begun to end when the database was asked has still done so
        lost.removeIf(TransactionGrant::mayJustEnd);
        var renewed = new ArrayList<>(grants);
        renewed.removeAll(lost);
        return new Renewal(renewed, List.copyOf(lost), List.of());
    }

    /**
     * Null if the server is there, but has no connection for this JVM. That says nothing about the locks either: the commit
     * checks them.
     */
    private @Nullable Connection open() throws SQLException {
        if (outside == null) {
            return pool.getConnection();
        }
        try {
            return outside.open();
        } catch (SQLException e) {
            try {
                return pool.getConnection();
            } catch (SQLException none) {
                if (SqlFailure.refusesConnection(e)) {
                    return null;
                }
                e.addSuppressed(none);
                throw e;
            }
        }
    }

    private Set<TransactionGrant> lost(Connection connection, List<TransactionGrant> locked) throws SQLException {
        return new NetworkTimeout().within(System.nanoTime() + timeoutNanos, connection, step -> {
            connection.setAutoCommit(false);
            try {
                return rowLock.server() == null ? withFreeRow(connection, locked) : withoutSession(connection, locked);
            } finally {
                connection.rollback();
            }
        });
    }

    private Set<TransactionGrant> withoutSession(Connection connection, List<TransactionGrant> all) throws SQLException {
        String server = server(connection);
        List<TransactionGrant> grants = all.stream().filter(grant -> session(grant).server().equals(server)).toList();
        var there = new HashSet<Long>();
        for (int from = 0; from < grants.size(); from += Statements.BATCH) {
            List<TransactionGrant> batch = grants.subList(from, Math.min(grants.size(), from + Statements.BATCH));
            try (PreparedStatement query = connection.prepareStatement(rowLock.sessions(batch.size()))) {
                for (int i = 0; i < batch.size(); i++) {
                    query.setLong(i + 1, session(batch.get(i)).number());
                }
                try (ResultSet rows = query.executeQuery()) {
                    while (rows.next()) {
                        there.add(rows.getLong(1));
                    }
                }
            }
        }
        var lost = new HashSet<TransactionGrant>();
        for (TransactionGrant grant : grants) {
            if (!there.contains(session(grant).number())) {
                lost.add(grant);
            }
        }
        return lost;
    }

    private String server(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(rowLock.server()); ResultSet row = query.executeQuery()) {
            row.next();
            return row.getString(1);
        }
    }

    private static RowLock.Session session(TransactionGrant grant) {
        return Objects.requireNonNull(grant.session());
    }

    /**
     * A row that can be locked here is locked by nobody. Rows are tried one by one, because not all databases skip locked rows.
     * Since some wait, only one row of each transaction is tried: all its rows live as long as its connection.
     */
    private Set<TransactionGrant> withFreeRow(Connection connection, List<TransactionGrant> grants) throws SQLException {
        var transactions = new LinkedHashMap<Object, List<TransactionGrant>>();
        for (TransactionGrant grant : grants) {
            transactions.computeIfAbsent(grant.transaction(), key -> new ArrayList<>()).add(grant);
        }
        var lost = new HashSet<TransactionGrant>();
        for (List<TransactionGrant> ofOne : transactions.values()) {
            try {
                if (rowLock.lock(connection, ofOne.get(0).id(), 0, RowLock.Running.NOBODY) != null) {
                    lost.addAll(ofOne);
                }
            } catch (SQLException | RuntimeException e) {
                if (rowLock.why(e) != RowLockFailure.BUSY) {
                    throw e;
                }
            }
        }
        return lost;
    }
}
