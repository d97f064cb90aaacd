package io.quarkiverse.lock.zookeeper.session;

/** Events of the session. Called on the thread that notices them, so implementations must be quick. */
public interface SessionEvents {

    /** The connection is lost; it may come back. */
    default void disconnected() {
    }

    /** The server that this session is connected to now grants it a shorter timeout than the one before. */
    default void shortened(Session session) {
    }

    /** The connection of this session is back, even if the session cannot be used for new claims. */
    void reconnected(Session session);

    /** This session is over, and its nodes are gone. */
    void ended(Session session);
}
