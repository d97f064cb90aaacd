package io.quarkiverse.lock.jpa.notify;

import static io.quarkiverse.lock.jpa.dialect.NotifySql.ASKED;
import static io.quarkiverse.lock.jpa.dialect.NotifySql.CHANNEL;
import static io.quarkiverse.lock.jpa.dialect.NotifySql.LOST;
import static io.quarkiverse.lock.jpa.dialect.NotifySql.TELL;
import static io.quarkiverse.lock.jpa.dialect.NotifySql.WAITED;

import java.sql.SQLException;
import java.util.function.Consumer;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.database.SqlFailure;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.database.Workers;

/**
 * Notifies other JVMs through the database, where possible: after the change is committed and in a separate statement, because
 * a NOTIFY inside a transaction makes all commits of the database wait for each other. Polling finds what a notification
 * misses.
 */
public final class Notifier {

    private static final Logger LOG = Logger.getLogger(Notifier.class);

    private final Steps steps;
    private final Workers workers;
    private final String wakeFirst;
    private final boolean enabled;
    private volatile boolean proven;

    /**
     * @param wakeFirst channel, id: the statement that notifies the JVM of the first waiter
     * @param enabled whether others may listen
     */
    public Notifier(Steps steps, Workers workers, String wakeFirst, boolean enabled) {
        this.steps = steps;
        this.workers = workers;
        this.wakeFirst = wakeFirst;
        this.enabled = enabled;
    }

    /** Whether others may listen, and so have to be notified. */
    public boolean enabled() {
        return enabled;
    }

    /**
     * Whether the database has accepted a message, and refused none since. Only then may a statement that does something else
     * also send one: if a message is refused, as for lack of a right, it is unknown whether the rest was done.
     */
    public boolean proven() {
        return proven;
    }

    /** The name is free now, or its queue is shorter: the first waiter should look. */
    public void wakeFirst(LockConnection connection, String id) {
        if (enabled) {
            tell(connection, wakeFirst, CHANNEL, id);
        }
    }

    /** Somebody waits for what {@code token} holds. */
    public void waited(LockConnection connection, String id, String token) {
        if (enabled) {
            tell(connection, TELL, CHANNEL, WAITED + ' ' + id + ' ' + token);
        }
    }

    /** What {@code token} held under this fence was ended by force. */
    public void lost(LockConnection connection, String id, String token, long fence) {
        if (enabled) {
            tell(connection, TELL, CHANNEL, LOST + ' ' + id + ' ' + token + ' ' + fence);
        }
    }

    /** Somebody requests the release of what {@code token} holds under this fence. */
    public void asked(LockConnection connection, String id, String token, long fence) {
        if (enabled) {
            tell(connection, TELL, CHANNEL, ASKED + ' ' + id + ' ' + token + ' ' + fence);
        }
    }

    /** Sends them when a worker thread is free. */
    public void later(Consumer<LockConnection> news) {
        workers.run(() -> {
            try {
                steps.<Boolean> call(steps.deadline(), connection -> {
                    news.accept(connection);
                    return true;
                });
            } catch (SQLException | RuntimeException e) {
                // Then a holder finds out when its slice ends, and a waiter when it looks
            }
        });
    }

    private void tell(LockConnection connection, String sql, Object... parameters) {
        try {
            connection.execute(sql, parameters);
            proven = true;
        } catch (SQLException e) {
            proven &= !SqlFailure.of(e).denies();
            LOG.debugf("Other JVMs could not be notified of a lock: %s", e.getMessage());
        }
    }
}
