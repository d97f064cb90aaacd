package io.quarkiverse.lock.zookeeper.nodes;

import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ZKConfig;

/** The servers list all nodes of a name in one reply. A reply that is too large for a client ends its connection. */
public final class ReplySize {

    /** The name of a node with a limit, and its length. */
    private static final int BYTES = 75;

    private ReplySize() {
    }

    /** How many nodes surely fit into a reply to a client. */
    public static int mostNodes(ZKClientConfig client) {
        return mostBytes(client) / BYTES;
    }

    /** The largest reply that a client reads: {@code jute.maxbuffer}. */
    public static int mostBytes(ZKClientConfig client) {
        return client.getInt(ZKConfig.JUTE_MAXBUFFER, ZKClientConfig.CLIENT_MAX_PACKET_LENGTH_DEFAULT);
    }
}
