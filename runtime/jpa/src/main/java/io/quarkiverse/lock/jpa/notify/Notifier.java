package io.quarkiverse.lock.jpa.notify;

import java.sql.SQLException;
import java.util.function.Consumer;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.jpa.JpaLockBackend;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.database.LockConnection;

/**
 * Tells other JVMs through the database, where it can: after the change is committed and in a statement of its own, because a
 * NOTIFY inside a transaction makes all commits of the database wait for each other. What is not told is found by polling.
 */
public final class Notifier {

    private static final Logger LOG = Logger.getLogger(JpaLockBackend.class);

    private Notifier() {
    }

    /** The name has become free, or its queue shorter: the first that waits should look. */
    public static void wakeFirst(LockDatabase database, LockConnection connection, String id) {
        if (database.tells()) {
            tell(connection, database.statements().wakeFirst, NotificationListener.CHANNEL, id);
        }
    }

    /** Somebody waits for what {@code token} holds. */
    public static void waited(LockDatabase database, LockConnection connection, String id, String token) {
        if (database.tells()) {
            tell(connection, NotificationListener.TELL, NotificationListener.CHANNEL,
                    NotificationListener.WAITED + ' ' + id + ' ' + token);
        }
    }

    /** What {@code token} held under this fence was ended by force. */
    public static void lost(LockDatabase database, LockConnection connection, String id, String token, long fence) {
        if (database.tells()) {
            tell(connection, NotificationListener.TELL, NotificationListener.CHANNEL,
                    NotificationListener.LOST + ' ' + id + ' ' + token + ' ' + fence);
        }
    }

    /** Somebody asks for what {@code token} holds under this fence. */
    public static void asked(LockDatabase database, LockConnection connection, String id, String token, long fence) {
        if (database.tells()) {
            tell(connection, NotificationListener.TELL, NotificationListener.CHANNEL,
                    NotificationListener.ASKED + ' ' + id + ' ' + token + ' ' + fence);
        }
    }

    /** When there is a thread for it. */
    public static void later(LockDatabase database, Consumer<LockConnection> news) {
        database.workers().run(() -> {
            try {
                database.<Boolean> call(database.deadline(), connection -> {
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
            LOG.debugf("Other JVMs could not be told of a lock: %s", e.getMessage());
        }
    }
}
