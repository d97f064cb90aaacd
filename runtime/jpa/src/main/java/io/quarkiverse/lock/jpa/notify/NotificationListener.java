package io.quarkiverse.lock.jpa.notify;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.BoundedConnections;
import io.quarkiverse.lock.jpa.database.PostgresDriver;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.database.Workers;
import io.quarkiverse.lock.jpa.dialect.NotifySql;
import io.quarkiverse.lock.spi.Backoff;

/**
 * Receives this JVM's news through PostgreSQL. It uses one connection, opened at the first contention, and one thread. A
 * message is a hint and can be lost, so waiters also look by themselves. They look often until a test message that was sent
 * here has arrived, which never happens through some connection poolers, and then at least every second.
 */
public final class NotificationListener {

    private static final String TRIAL = "T";

    private static final Logger LOG = Logger.getLogger(NotificationListener.class);
    private static final int PATIENCE_MILLIS = 10_000;

    private final Steps steps;
    private final Workers workers;
    private final BoundedConnections connections;
    private final PostgresDriver driver;
    private final Subscribers subscribers;
    private final String trial = TRIAL + " " + UUID.randomUUID();
    private @Nullable Thread thread;
    private @Nullable Connection connection;
    private volatile boolean proven;
    private volatile boolean closed;

    public NotificationListener(Steps steps, Workers workers, BoundedConnections connections, PostgresDriver driver,
            Subscribers subscribers) {
        this.steps = steps;
        this.workers = workers;
        this.connections = connections;
        this.driver = driver;
        this.subscribers = subscribers;
    }

    /** Whether messages are known to arrive. */
    public boolean proven() {
        return proven;
    }

    /**
     * Called when a claim waits, or when this JVM could hand on what it holds to its own callers, and so needs to hear of
     * waiters elsewhere.
     */
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
        var backoff = new Backoff(Steps.LONGEST_DELAY);
        boolean said = false;
        boolean again = false;
        while (!closed) {
            try (Connection made = connections.open()) {
                connected(made);
                hear(made, again, backoff);
            } catch (SQLException | RuntimeException e) {
                if (!closed && !said) {
                    said = true;
                    LOG.infof("No notifications of released locks arrive from the database, so waiting JVMs poll for now: %s",
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
        made.setNetworkTimeout(Runnable::run, PATIENCE_MILLIS); // a half-dead connection is silent too
        made.setAutoCommit(true);
        try (Statement statement = made.createStatement()) {
            statement.execute("LISTEN " + NotifySql.CHANNEL);
            tryOut();
            while (!closed) {
                List<String> heard = driver.notifications(made, PATIENCE_MILLIS);
                if (heard.isEmpty()) {
                    statement.execute("SELECT 1");
                    continue;
                }
                for (String message : heard) {
                    if (message.equals(trial)) {
                        deliver(Notification.Kind.LISTENING, "", 0);
                        proven = true;
                        backoff.reset();
                        if (again) {
                            deliver(Notification.Kind.MISSED, "", 0);
                        }
                    } else {
                        dispatch(message);
                    }
                }
            }
        }
    }

    private void tryOut() {
        workers.run(() -> {
            try {
                steps.<Boolean> call(steps.deadline(), work -> {
                    work.execute(NotifySql.TELL, NotifySql.CHANNEL, trial);
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
        switch (part[0]) {
            case NotifySql.TURN -> deliver(Notification.Kind.TURN, part[2], 0);
            case NotifySql.WAITED -> deliver(Notification.Kind.WAITED, part[2], 0);
            case NotifySql.LOST -> deliver(Notification.Kind.LOST, part[2], Long.parseLong(part[3]));
            case NotifySql.ASKED -> deliver(Notification.Kind.ASKED, part[2], Long.parseLong(part[3]));
            default -> {
            }
        }
    }

    private void deliver(Notification.Kind kind, String token, long fence) {
        subscribers.deliver(new Notification(kind, token, fence));
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
                LOG.debugf("The listening connection could not be closed properly: %s", e.getMessage());
            }
        }
    }
}
