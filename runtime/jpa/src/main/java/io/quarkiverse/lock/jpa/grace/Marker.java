package io.quarkiverse.lock.jpa.grace;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.ErrorMessages;
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.dialect.LockDialect;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.spi.PrintableDuration;

/**
 * The row that says from which life of the database the rows are, and until when its grace lasts. It lives among the names, so
 * that it is lost and restored with them. Its key is {@value #ID}, which no name has, and nobody else touches rows of its
 * format.
 * <p>
 * It is valid only if the server runs in the life that the row names, and if the transaction that it names wrote the row: a
 * restored copy was written by another transaction. Each granting statement checks this itself, on the server that runs it.
 * What a client knows about a connection may be from an earlier life, or from another server behind a pooler.
 */
public final class Marker {

    private static final Logger LOG = Logger.getLogger(Marker.class);

    public static final String ID = LockRow.MARKER;
    private static final int FORMAT = 0;
    /** The share of the longest lease that is added for clocks that run at different rates. */
    private static final int DRIFT_SHARE = 50;
    private static final long DRIFT_MICROS = TimeUnit.MILLISECONDS.toMicros(100);

    private record Seen(boolean ofThisLife, long longest, long left, long length) {

        static Seen read(ResultSet row) throws SQLException {
            return new Seen(row.getInt(1) == 1, row.getLong(2), row.getLong(3), row.getLong(4));
        }
    }

    private final JpaLockOptions options;
    private final Duration longestLease;
    private final long longest;
    private final long length;
    private final String open;
    private final String look;
    private final String renew;
    private final String insert;
    private final String bringForward;
    /** The row has to be written. */
    private volatile boolean outdated;
    private volatile long toldUntil = System.nanoTime();

    private Marker(LockDialect dialect, LockDialect.Life life, String table, JpaLockOptions options, Duration longestLease) {
        this.options = options;
        this.longestLease = longestLease;
        longest = TimeUnit.NANOSECONDS.toMicros(longestLease.toNanos());
        length = longest + longest / DRIFT_SHARE + DRIFT_MICROS;
        String now = dialect.now();
        String row = table + " m WHERE m.id = '" + ID + "'";
        String ofThisLife = "m.since = " + life.began() + " AND m.asked = " + life.writer("m");
        String written = "asked = " + life.transaction();
        open = " AND EXISTS (SELECT 1 FROM " + row + " AND m.fence = " + longest + " AND " + ofThisLife + " AND m.expires <= "
                + now + ")";
        look = "SELECT CASE WHEN " + ofThisLife + " THEN 1 ELSE 0 END, m.fence, m.expires - " + now + ", m.ticket FROM " + row;
        String grace = "expires = " + now + " + " + length;
        renew = "UPDATE " + table + " m SET ticket = " + length + ", since = " + life.began() + ", " + grace + ", " + written
                + " WHERE m.id = '" + ID + "' AND m.fence = " + longest + " AND (m.asked IS NULL OR NOT (" + ofThisLife + "))";
        insert = dialect.insertSql("INSERT INTO " + table
                + " (id, name, format, fence, ticket, token, owner, since, expires, shared_until, queue_until, asked) SELECT '"
                + ID + "', 'whose life of the database the rows are from', " + FORMAT + ", " + longest + ", " + length
                + ", NULL, NULL, " + life.began() + ", " + now + " + " + length + ", 0, 0, " + life.transaction()
                + dialect.fromNothing());
        bringForward = "UPDATE " + table + " m SET expires = " + now + " + m.ticket, " + written + " WHERE m.id = '" + ID
                + "' AND " + ofThisLife + " AND m.expires > " + now + " + m.ticket";
    }

    /**
     * Null where no grace applies: locks are granted at once, whatever has happened.
     *
     * @param table the table of the names
     * @throws IllegalStateException if this database does not tell in which life it runs
     */
    public static @Nullable Marker of(LockDialect dialect, String table, JpaLockOptions options) {
        Duration longest = options.graceLease();
        if (longest == null) {
            return null;
        }
        LockDialect.Life life = dialect.life();
        if (life == null) {
            throw new IllegalStateException("quarkus.lock.jpa.after-failover=grace is for PostgreSQL only: in the database "
                    + "of " + options.dataSource() + "* locks cannot tell whether the server was started after their rows had "
                    + "been written, so a restored backup would go unnoticed. Set quarkus.lock.jpa.after-failover=at-once; "
                    + "if the database may have lost locks, wait for as long as the longest lease before you start "
                    + "applications on it");
        }
        return new Marker(dialect, life, table, options, longest);
    }

    /** Ends the condition of a granting statement: true unless a grace lasts or has to begin. */
    public String open() {
        return open;
    }

    /**
     * For how many µs nothing is granted yet. Writes nothing: {@link #outdated} says whether a grace has to begin, which takes
     * a statement that commits by itself.
     *
     * @throws SQLException also if others have a different longest lease
     */
    public long left(LockConnection connection) throws SQLException {
        Seen seen = connection.first(look, Seen::read);
        if (seen != null && seen.longest != longest) {
            throw new SQLException("others have a longest lease of "
                    + PrintableDuration.of(Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(seen.longest)))
                    + " there, but this application has " + PrintableDuration.of(longestLease), ErrorMessages.DISAGREES);
        }
        if (seen == null || !seen.ofThisLife) {
            outdated = true;
            return length;
        }
        if (seen.left > seen.length) { // the clock was set back
            outdated = true;
        }
        long left = Math.max(0, Math.min(seen.left, seen.length));
        if (left > 0) {
            tell(left);
        }
        return left;
    }

    /** Whether {@link #left} found that the row has to be written. */
    public boolean outdated() {
        return outdated;
    }

    /**
     * Begins a grace if necessary. The connection must commit each statement, because the row is verified by the transaction
     * that wrote it.
     */
    public boolean begin(LockConnection connection) throws SQLException {
        outdated = false;
        if (connection.update(renew) == 0) {
            connection.execute(insert);
        }
        connection.update(bringForward);
        return true;
    }

    /** The same as {@link #left}, after {@link #begin} if necessary. */
    public long leftOrBegun(LockConnection connection) throws SQLException {
        long left = left(connection);
        if (!outdated) {
            return left;
        }
        begin(connection);
        return left(connection);
    }

    /** The answer to who holds the name during a grace. */
    public static String nobodyFor(long micros) {
        return "nobody, but no lock is granted for another " + PrintableDuration.of(Duration.ofMillis(micros / 1000 + 1));
    }

    /** Logs once per grace. */
    private void tell(long micros) {
        long now = System.nanoTime();
        synchronized (this) {
            if (now - toldUntil < 0) {
                return;
            }
            toldUntil = now + TimeUnit.MICROSECONDS.toNanos(micros);
        }
        LOG.warnf(
                "The database (%s*) may have lost locks through a restart, a fail-over or a restored backup, or has never had "
                        + "any: none is granted for another %s, and holders keep theirs "
                        + "(quarkus.lock.jpa.after-failover=grace)",
                options.dataSource(), PrintableDuration.of(Duration.ofMillis(micros / 1000)));
    }
}
