package io.quarkiverse.lock.zookeeper.claim;

import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.zookeeper.nodes.NodeData;

/**
 * Who holds the lock, for a claim with others between it and the holder. It is read once the claim has waited for a while:
 * where the lock moves on quickly, nobody needs to know.
 */
final class HolderNews implements DataCallback {

    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LATER = TimeUnit.SECONDS.toNanos(3);

    private final PendingClaim pending;
    private final ClaimNode node;
    private final WaitingNodes waiting;

    /** The path of the holder's node, by the last list; {@code null} if there is nothing to find out. */
    private volatile @Nullable String holder;
    private volatile boolean scheduled;
    /** The holder named by the last list was already gone, so the next list is requested to find the present one. */
    private volatile boolean late;
    private volatile long pause = LATER;

    HolderNews(PendingClaim pending, ClaimNode node, WaitingNodes waiting) {
        this.pending = pending;
        this.node = node;
        this.waiting = waiting;
    }

    /** @param holder the path of its node; {@code null} if it need no longer be read */
    void at(@Nullable String holder) {
        this.holder = holder;
        if (holder == null) {
            return;
        }
        if (late) {
            late = false;
            ask(holder);
        } else if (!scheduled) {
            scheduled = true;
            waiting.later(SOON, this::ask);
        }
    }

    private void ask() {
        scheduled = false;
        String path = holder;
        if (path != null && !pending.over()) {
            ask(path);
        }
    }

    private void ask(String path) {
        node.session().zk().getData(path, false, this, null);
    }

    @Override
    public void processResult(int rc, String path, Object ctx, byte[] data, Stat stat) {
        if (!path.equals(holder)) {
            return;
        }
        if (rc == Code.OK.intValue()) {
            pending.claim().heldBy(NodeData.of(data).owner());
        } else if (rc == Code.NONODE.intValue()) {
            waiting.later(pause, this::lookAgain);
            pause *= 2;
        }
    }

    /** Many were ahead of the claim, and the queue has moved since: maybe to a holder that keeps the lock for long. */
    private void lookAgain() {
        if (holder != null && !pending.over()) {
            late = true;
            node.look();
        }
    }
}
