package io.quarkiverse.lock.zookeeper.session;

/**
 * The session in which a checkpoint of the process was made. Each process restored from it knows the session's id and password:
 * they would end each other's connection again and again, and the first to stop would take along the nodes of the others.
 */
public final class CheckpointedSession {

    private CheckpointedSession() {
    }

    /** Before the checkpoint. */
    public static void share(SessionTracker sessions) {
        sessions.share(true); // first: also one that is made until the process is frozen
        Session session = sessions.current();
        if (session != null) {
            session.share();
        }
    }

    /** After the restore. The servers keep the session until its timeout is over, or as long as another process has it. */
    public static void leave(SessionTracker sessions) {
        sessions.share(false);
        Session session = sessions.current();
        if (session != null && session.shared()) {
            // As Curator does itself after the session timeout without a connection: it then makes a new client, which the
            // application may use too, and its listeners hear that the session is lost
            session.zk().getTestable().injectSessionExpiration();
            sessions.closed(session);
        }
    }
}
