package io.quarkiverse.lock.zookeeper.claim;

import java.util.List;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.AsyncCallback.ChildrenCallback;
import org.apache.zookeeper.AsyncCallback.Create2Callback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.zookeeper.grant.PendingDeletes;
import io.quarkiverse.lock.zookeeper.nodes.NodeData;
import io.quarkiverse.lock.zookeeper.nodes.NodeOrder;
import io.quarkiverse.lock.zookeeper.nodes.SequenceCounterWatch;
import io.quarkiverse.lock.zookeeper.session.NodeRoom;
import io.quarkiverse.lock.zookeeper.session.Session;

/** Makes the nodes of claims, and sends their requests. */
public final class ClaimNodes {

    private static final byte[] NOTHING = {};

    private record NodeContent(long leaseNanos, byte[] bytes) {
    }

    private final List<ACL> acl;
    private final String owner;
    private final NodeOrder order;
    private final GrantDecision decision;
    private final WaitingNodes waiting;
    private final PendingDeletes deletes;
    private final @Nullable EntryNews news;
    private final SequenceCounterWatch counters;

    /** What the last node was created with; claims with the same lease share these bytes. */
    private volatile NodeContent content;

    /** @param news {@code null} if nodes say in their names that they do not announce their entry */
    public ClaimNodes(List<ACL> acl, String owner, NodeOrder order, GrantDecision decision, WaitingNodes waiting,
            PendingDeletes deletes, @Nullable EntryNews news, SequenceCounterWatch counters) {
        this.acl = acl;
        this.owner = owner;
        this.order = order;
        this.decision = decision;
        this.waiting = waiting;
        this.deletes = deletes;
        this.news = news;
        this.counters = counters;
        this.content = new NodeContent(0, NodeData.of(owner, 0));
    }

    ClaimNode next(PendingClaim pending, Session session, NodeRoom.Share room) {
        return new ClaimNode(pending, session, room, this, order, decision, waiting);
    }

    /** Creates the node and lists the container, in one round trip. */
    void create(ClaimNode node, PendingClaim pending) {
        ZooKeeper zk = node.session().zk();
        zk.create(pending.prefix(), content(pending.claim().leaseNanos()), acl, CreateMode.EPHEMERAL_SEQUENTIAL,
                (Create2Callback) node, null);
        zk.getChildren(pending.container(), false, (ChildrenCallback) node, null);
    }

    private byte[] content(long leaseNanos) {
        NodeContent known = content;
        if (known.leaseNanos() != leaseNanos) {
            known = new NodeContent(leaseNanos, NodeData.of(owner, TimeUnit.NANOSECONDS.toMillis(leaseNanos)));
            content = known;
        }
        return known.bytes();
    }

    /** The callback gets the node as its context. */
    void createContainer(ClaimNode node, PendingClaim pending) {
        node.session().zk().create(pending.container(), NOTHING, acl, CreateMode.CONTAINER, (Create2Callback) node, node);
    }

    /** The node was created. */
    void created(PendingClaim pending, String path) {
        if (!NodeOrder.low(path)) {
            counters.created(pending.container(), path, pending.prefix().length());
        }
    }

    /**
     * Lists the container, after a {@code sync} if requested. A node with a limit watches the container, since it may be the
     * one by now that waits for any holder to make room. The callback gets the node as its context.
     */
    void list(ClaimNode node, PendingClaim pending, boolean syncs) {
        ZooKeeper zk = node.session().zk();
        if (syncs) {
            zk.sync(pending.container(), (VoidCallback) node, null);
        }
        zk.getChildren(pending.container(), pending.waitsForRoom() ? waiting : null, node, node);
    }

    /** The node holds the lock, and the node right behind it wants to know. */
    void entered(ClaimNode node, PendingClaim pending, String path) {
        if (news != null) {
            news.tell(node.session(), path, content(pending.claim().leaseNanos()));
        }
    }

    /** @param path of the node, or {@code null} if its creation had no reply */
    void delete(ClaimNode node, PendingClaim pending, @Nullable String path) {
        if (path != null) {
            deletes.delete(node.session(), path, node.room());
        } else {
            deletes.search(node.session(), pending.container(), pending.prefix(), node.room());
        }
    }
}
