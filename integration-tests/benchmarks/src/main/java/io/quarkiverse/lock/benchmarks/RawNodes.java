package io.quarkiverse.lock.benchmarks;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/**
 * The minimum that a lock costs: a node and a look at the others, sent together, and the deletion of the node. No engine, no
 * queue, no protection. For names that nobody else wants.
 */
final class RawNodes implements Peer {

    private static final byte[] NOTHING = {};

    private final CuratorFramework client;
    private final ZooKeeper zooKeeper;

    RawNodes(String url) {
        client = ZooKeeperProcess.client(url);
        try {
            client.blockUntilConnected();
            zooKeeper = client.getZookeeperClient().getZooKeeper();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Mutex mutex(String name) {
        return new Node("/raw/" + name);
    }

    private void makeParent(String parent) {
        try {
            client.create().orSetData().creatingParentsIfNeeded().forPath(parent); // not a container, which would come and go
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        client.close();
    }

    private final class Node implements Mutex {

        private final String parent;
        private String path = "";
        private boolean parentMade;

        Node(String parent) {
            this.parent = parent;
        }

        @Override
        public void lock() {
            if (!parentMade) {
                makeParent(parent);
                parentMade = true;
            }
            var created = new CompletableFuture<String>();
            var alone = new CompletableFuture<Boolean>();
            zooKeeper.create(parent + "/lock-", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL,
                    (code, at, context, name) -> complete(created, code, name), null);
            zooKeeper.getChildren(parent, false,
                    (code, at, context, children) -> complete(alone, code, children != null && children.size() == 1), null);
            path = await(created);
            if (!await(alone)) {
                throw new IllegalStateException("Somebody else wants " + parent);
            }
        }

        @Override
        public void unlock() {
            var deleted = new CompletableFuture<String>();
            zooKeeper.delete(path, -1, (code, at, context) -> complete(deleted, code, at), null);
            await(deleted);
        }
    }

    private static <T> void complete(CompletableFuture<T> future, int code, T value) {
        if (code == Code.OK.intValue()) {
            future.complete(value);
        } else {
            future.completeExceptionally(KeeperException.create(Code.get(code)));
        }
    }

    private static <T> T await(CompletableFuture<T> future) {
        return future.orTimeout(30, TimeUnit.SECONDS).join();
    }
}
