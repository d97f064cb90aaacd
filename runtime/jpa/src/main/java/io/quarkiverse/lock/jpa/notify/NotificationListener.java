package io.quarkiverse.lock.jpa.notify;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
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
    private final ThreadFactory threads;
    private final long patienceNanos;
    private final String trial = TRIAL + " " + UUID.randomUUID();
    private @Nullable Thread thread;
    private @Nullable Connection connection;
    private volatile boolean proven;
    /** Why the trial message does not arrive, if it does not; null while it is being sent. */
    private volatile @Nullable String obstacle;
    /** When that was known. */
    private volatile long triedAt;
    /** That no messages arrive; on the listening thread only. */
    private boolean said;
    private volatile boolean closed;

    public NotificationListener(Steps steps, Workers workers, BoundedConnections connections, PostgresDriver driver,
            Subscribers subscribers) {
        this(steps, workers, connections, driver, subscribers, Thread::new, Duration.ofMillis(PATIENCE_MILLIS));
    }

    /**
     * @param threads makes the thread that listens
     * @param patience how long a trial message may take to come back before the next one
     */
    NotificationListener(Steps steps, Workers workers, BoundedConnections connections, PostgresDriver driver,
            Subscribers subscribers, ThreadFactory threads, Duration patience) {
        this.steps = steps;
        this.workers = workers;
        this.connections = connections;
        this.driver = driver;
        this.subscribers = subscribers;
        this.threads = threads;
        patienceNanos = patience.toNanos();
    }

    /** Whether messages are known to arrive. */
    public boolean proven() {
        return proven;
    }

    /**
     * Called when a claim waits, or when this JVM could hand on what it holds to its own callers, and so needs to hear of
     * waiters elsewhere. Throws nothing: whoever calls has a hold or a claim to go on with.
     */
    public void start() {
        if (thread != null) {
            return;
        }
        synchronized (this) {
            if (thread == null && !closed) {
                try {
                    Thread listening = threads.newThread(this::listen);
                    listening.setName("quarkus-lock-jpa-listen");
                    listening.setDaemon(true);
                    listening.start();
                    thread = listening;
                } catch (OutOfMemoryError e) {
                    // The JVM has no thread to give: waiters look by themselves, and the next call tries again
                }
            }
        }
    }

    private void listen() {
        var backoff = new Backoff(Steps.LONGEST_DELAY);
        boolean again = false;
        while (!closed) {
            try (Connection made = connections.open()) {
                connected(made);
                hear(made, again, backoff);
            } catch (Throwable e) { // for instance, the JVM has no worker to give
                sayOnce(String.valueOf(e.getMessage()));
            } finally {
                proven = false;
                again = true;
            }
            if (!closed) {
                LockSupport.parkNanos(backoff.next());
            }
        }
    }

    /** Until messages arrive again. */
    private void sayOnce(String why) {
        if (!closed && !said) {
            said = true;
            LOG.infof("No notifications of released locks arrive from the database, so waiting JVMs poll for now: %s", why);
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
                List<String> heard = driver.notifications(made, proven ? PATIENCE_MILLIS : untilNextTrial());
                if (heard.isEmpty()) {
                    statement.execute("SELECT 1");
                }
                for (String message : heard) {
                    if (!proven && message.equals(trial)) {
                        deliver(Notification.Kind.LISTENING, "", 0);
                        proven = true;
                        said = false;
                        backoff.reset();
                        if (again) {
                            deliver(Notification.Kind.MISSED, "", 0);
                        }
                    } else {
                        dispatch(message);
                    }
                }
                if (!proven) {
                    tryOutAgain();
                }
            }
        }
    }

    /** However much arrives from others, which does not show that this JVM hears itself. */
    private void tryOutAgain() {
        String why = obstacle;
        if (why != null && System.nanoTime() - triedAt >= patienceNanos) {
            sayOnce(why);
            tryOut();
        }
    }

    private int untilNextTrial() {
        if (obstacle == null) {
            return PATIENCE_MILLIS;
        }
        long left = patienceNanos - (System.nanoTime() - triedAt);
        return 1 + (int) Math.max(0, TimeUnit.NANOSECONDS.toMillis(left)); // the driver takes 0 for ever
    }

    private void tryOut() {
        obstacle = null;
        workers.run(() -> {
            String why;
            try {
                steps.<Boolean> call(steps.deadline(), work -> {
                    work.execute(NotifySql.TELL, NotifySql.CHANNEL, trial);
                    return true;
                });
                why = "a message that this JVM sent to itself has not come back, as behind a connection pooler";
            } catch (Throwable e) { // whatever it is, the next trial waits for the end of this one
                why = String.valueOf(e.getMessage());
            }
            triedAt = System.nanoTime();
            obstacle = why;
        });
    }

    /** Anybody may send on the channel: what is no message of ours is ignored. */
    private void dispatch(String message) {
        String[] part = message.split(" ");
        if (part.length < 3) {
            return;
        }
        switch (part[0]) {
            case NotifySql.TURN -> deliver(Notification.Kind.TURN, part[2], 0);
            case NotifySql.WAITED -> deliver(Notification.Kind.WAITED, part[2], 0);
            case NotifySql.LOST -> deliverFenced(Notification.Kind.LOST, part);
            case NotifySql.ASKED -> deliverFenced(Notification.Kind.ASKED, part);
            default -> {
            }
        }
    }

    private void deliverFenced(Notification.Kind kind, String[] part) {
        if (part.length < 4) {
            return;
        }
        long fence;
        try {
            fence = Long.parseLong(part[3]);
        } catch (NumberFormatException e) {
            return;
        }
        deliver(kind, part[2], fence);
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
