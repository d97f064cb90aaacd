package io.quarkiverse.lock.zookeeper.session;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.zookeeper.nodes.ReplySize;

/**
 * The room for nodes in a session. When the session ends, the leader writes the paths of all its nodes into one transaction. A
 * server reads no transaction of more than twice its {@code jute.maxbuffer}: the others could not follow the leader then, and
 * none could start again, as each reads its own log first. So our nodes get three quarters of that, and the rest is for nodes
 * that the application itself makes in the session.
 */
public final class NodeRoom {

    /** The number that the servers append to the path of a node, and the length that they write before it. */
    private static final int NUMBER_AND_LENGTH = 10 + 4;

    private final AtomicLong taken = new AtomicLong();
    private final long most;
    private final int more;

    /** @param more the bytes of a path besides those of its characters */
    NodeRoom(int maxBuffer, int more) {
        this.most = maxBuffer * 3L / 2;
        this.more = more + NUMBER_AND_LENGTH;
    }

    /**
     * The servers see paths with what follows their addresses in the connect string, and count bytes.
     *
     * @param config says what this JVM's {@code jute.maxbuffer} is, which is supposed to be that of the servers
     */
    static NodeRoom of(ZKClientConfig config, String connectString, String root) {
        int slash = connectString.indexOf('/');
        String chroot = slash < 0 ? "" : connectString.substring(slash);
        return new NodeRoom(ReplySize.mostBytes(config), bytes(chroot) + bytes(root) - root.length());
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    /**
     * Room for a node that is about to be created. The caller gives it back when the node is certainly gone, unless the session
     * ends before.
     *
     * @param prefix the path of the node without its number; all but the root is ASCII
     * @return {@code null} if there is not enough
     */
    public @Nullable Share take(String prefix) {
        int bytes = prefix.length() + more;
        if (taken.addAndGet(bytes) > most) {
            taken.addAndGet(-bytes);
            return null;
        }
        return new Share(this, bytes);
    }

    /** In bytes. */
    public long most() {
        return most;
    }

    /** What the paths of the nodes add up to, in bytes. */
    public long taken() {
        return taken.get();
    }

    /** What a node takes of the room. */
    public static final class Share {

        private static final AtomicIntegerFieldUpdater<Share> BYTES = AtomicIntegerFieldUpdater.newUpdater(Share.class,
                "bytes");

        private final NodeRoom room;
        private volatile int bytes;

        private Share(NodeRoom room, int bytes) {
            this.room = room;
            this.bytes = bytes;
        }

        /** The node is gone, or was never created; several may find that out. */
        public void free() {
            if (bytes != 0) {
                room.taken.addAndGet(-BYTES.getAndSet(this, 0));
            }
        }
    }
}
