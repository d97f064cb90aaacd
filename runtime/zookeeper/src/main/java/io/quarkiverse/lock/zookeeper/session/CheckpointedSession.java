package io.quarkiverse.lock.zookeeper.session;

import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * The session in which a checkpoint of the process was made. Each process restored from it knows the session's id and password:
 * they would end each other's connection again and again, and the first to stop would take along the nodes of the others.
 */
final class CheckpointedSession {

    /** Between the checkpoint and the restore: a session that is made now may be in each process as well. */
    private volatile boolean shared;
    private volatile @Nullable ZooKeeper left;

    /** Before the checkpoint. */
    void share(@Nullable Session current) {
        shared = true;
        if (current != null) {
            current.share();
        }
    }

    /** A session that has just been made. */
    Session made(Session session) {
        if (shared) {
            session.share();
        }
        return session;
    }

    /**
     * After the restore. The servers keep the session until its timeout is over, or as long as another process has it.
     *
     * @return whether this process has it no longer
     */
    boolean leave(@Nullable Session current) {
        shared = false;
        if (current == null || !current.shared()) {
            return false;
        }
        left = current.zk();
        return leaves(current.zk());
    }

    /**
     * Whether this client belongs to a session that was left. Then it is given up, as Curator does itself after the session
     * timeout without a connection: Curator makes a new one, which the application may use too, and its listeners hear that the
     * session is lost. Curator also closes the old one, which ends the session for all unless the client is dead by then: so
     * the event of its end must not come first, for which its own event thread sends it, and no reply of a server that it
     * connects to may revive it.
     */
    boolean leaves(ZooKeeper client) {
        if (client != left) {
            return false;
        }
        client.exists("/", false, (code, path, context, stat) -> {
            if (client.getState().isConnected()) { // otherwise as soon as it has connected
                client.getTestable().injectSessionExpiration();
            }
        }, null);
        return true;
    }
}
