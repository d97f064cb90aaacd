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
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.database.Workers;

/**
 * Notifies other JVMs through the database, where it can: after the change is committed and in a statement of its own, because
 * a NOTIFY inside a transaction makes all commits of the database wait for each other. Polling finds what no notification says.
 */
public final class Notifier {

    private static final Logger LOG = Logger.getLogger(Notifier.class);

    private final Steps steps;
    private final Workers workers;
    private final String wakeFirst;
    private final boolean enabled;

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

    /** Whether others may listen: then they have to be notified. */
    public boolean enabled() {
        return enabled;
    }

    /** The name has become free, or its queue shorter: the first that waits should look. */
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

    /** Somebody asks for what {@code token} holds under this fence. */
    public void asked(LockConnection connection, String id, String token, long fence) {
        if (enabled) {
            tell(connection, TELL, CHANNEL, ASKED + ' ' + id + ' ' + token + ' ' + fence);
        }
    }

    /** When a worker thread is free for it. */
    public void later(Consumer<LockConnection> news) {
        workers.run(() -> {
            try {
                steps.<Boolean> call(steps.deadline(), connection -> {
                    news.accept(connection);
                    return true;
                });
            } catch (SQLException | RuntimeException e) {
                // Then a holder finds out when its slice ends, and who waits when it looks
            }
        });
    }

    private static void tell(LockConnection connection, String sql, Object... parameters) {
        try {
            connection.execute(sql, parameters);
        } catch (SQLException e) {
            LOG.debugf("Other JVMs could not be notified of a lock: %s", e.getMessage());
        }
    }
}
