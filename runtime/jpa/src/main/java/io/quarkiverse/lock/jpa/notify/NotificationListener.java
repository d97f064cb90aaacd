package io.quarkiverse.lock.jpa.notify;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

import io.quarkiverse.lock.jpa.JpaLockBackend;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.claim.ClaimRegistry;
import io.quarkiverse.lock.spi.Backoff;

/**
 * Hears through PostgreSQL of what concerns this JVM: one connection of its own, made at the first contention, and one thread.
 * A message is a hint and can be lost: whoever waits looks by itself, often until a message that was sent here for trial has
 * arrived (through some connection poolers none does), then at least every second.
 */
public final class NotificationListener {

    public static final String CHANNEL = "quarkus_lock";
    /** {@code G id token}: the lock is free, and this claim is the first. */
    public static final String TURN = "G";
    /** {@code R id token}: somebody waits for what this grant holds. */
    static final String WAITED = "R";
    /** {@code L id token fence}: the grant was ended by force. */
    static final String LOST = "L";
    /** {@code A id token fence}: somebody asks for the release of the grant. */
    static final String ASKED = "A";
    private static final String TRIAL = "T";

    /**
     * A message goes out when its transaction has committed, which leaves nothing behind that would be worth waiting for the
     * log, or for a replica. For the transaction of the statement only.
     */
    public static final String AT_ONCE = "pg_catalog.set_config('synchronous_commit', 'off', true)";
    public static final String TELL = "SELECT pg_notify(?, ?), " + AT_ONCE;

    private static final Logger LOG = Logger.getLogger(JpaLockBackend.class);
    private static final int PATIENCE_MILLIS = 10_000;

    private final LockDatabase database;
    private final LockDatabase.Listening listening;
    private final String trial = TRIAL + " " + UUID.randomUUID();
    private @Nullable Thread thread;
    private @Nullable Connection connection;
    private volatile boolean proven;
    private volatile boolean closed;

    public NotificationListener(LockDatabase database, LockDatabase.Listening listening) {
        this.database = database;
        this.listening = listening;
    }

    /** Whether messages arrive. */
    public boolean proven() {
        return proven;
    }

    public void start() {
        if (thread != null) {
            return;
        }
        synchronized (this) {
            if (thread == null && !closed) {
                thread = new Thread(this::listen, "quarkus-lock-jpa-listen");
                thread.setDaemon(true);
                thread.start();
            }
        }
    }

    private void listen() {
        var backoff = new Backoff(LockDatabase.LONGEST_DELAY);
        boolean said = false;
        boolean again = false;
        while (!closed) {
            try (Connection made = listening.open()) {
                connected(made);
                hear(made, again, backoff);
            } catch (SQLException | RuntimeException e) {
                if (!closed && !said) {
                    said = true;
                    LOG.infof("Releases of locks cannot be heard of through the database, so waiting JVMs poll for now: %s",
                            e.getMessage());
                }
            } finally {
                proven = false;
                again = true;
            }
            if (!closed) {
                LockSupport.parkNanos(backoff.next());
            }
        }
    }

    private synchronized void connected(Connection made) throws SQLException {
        if (closed) {
            throw new SQLException("closed");
        }
        connection = made;
    }

    private void hear(Connection made, boolean again, Backoff backoff) throws SQLException {
        PGConnection postgres = made.unwrap(PGConnection.class);
        made.setAutoCommit(true);
        try (Statement statement = made.createStatement()) {
            statement.execute("LISTEN " + CHANNEL);
            tryOut();
            while (!closed) {
                PGNotification[] heard = postgres.getNotifications(PATIENCE_MILLIS);
                if (heard == null || heard.length == 0) {
                    // A connection that is half dead is silent too
                    made.setNetworkTimeout(Runnable::run, PATIENCE_MILLIS);
                    statement.execute("SELECT 1");
                    continue;
                }
                for (PGNotification each : heard) {
                    String message = each.getParameter();
                    if (message.equals(trial)) {
                        database.users().forEach(ClaimRegistry::listens);
                        proven = true;
                        backoff.reset();
                        if (again) {
                            database.users().forEach(ClaimRegistry::recheck);
                        }
                    } else {
                        dispatch(message);
                    }
                }
            }
        }
    }

    private void tryOut() {
        database.workers().run(() -> {
            try {
                database.<Boolean> call(database.deadline(), work -> {
                    work.execute(TELL, CHANNEL, trial);
                    return true;
                });
            } catch (SQLException | RuntimeException e) {
                LOG.debugf("NOTIFY failed: %s", e.getMessage());
            }
        });
    }

    private void dispatch(String message) {
        String[] part = message.split(" ");
        if (part.length < 3) {
            return;
        }
        for (ClaimRegistry user : database.users()) {
            switch (part[0]) {
                case TURN -> user.turn(part[2]);
                case WAITED -> user.waited(part[2]);
                case LOST -> user.lost(part[2], Long.parseLong(part[3]));
                case ASKED -> user.asked(part[2], Long.parseLong(part[3]));
                default -> {
                }
            }
        }
    }

    public void close() {
        Connection open;
        synchronized (this) {
            closed = true;
            LockSupport.unpark(thread);
            open = connection;
        }
        if (open != null) {
            try {
                open.abort(Runnable::run);
            } catch (SQLException e) {
                LOG.debugf("The listening connection did not end well: %s", e.getMessage());
            }
        }
    }
}
