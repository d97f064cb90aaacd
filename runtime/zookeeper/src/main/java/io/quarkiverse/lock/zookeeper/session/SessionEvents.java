package io.quarkiverse.lock.zookeeper.session;

/** What becomes of the session. Called on whatever thread notices it, so implementations must be quick. */
public interface SessionEvents {

    /** The connection is lost; it may come back. */
    default void disconnected() {
    }

    /** The server that this session is connected to now grants it a shorter timeout than the one before. */
    default void shortened(Session session) {
    }

    /** The connection of this session is back, even if the session is of no use for new claims. */
    void reconnected(Session session);

    /** This session is over, and its nodes are gone. */
    void ended(Session session);
}
