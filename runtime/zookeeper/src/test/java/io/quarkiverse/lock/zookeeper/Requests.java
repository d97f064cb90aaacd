package io.quarkiverse.lock.zookeeper;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.AsyncCallback.ChildrenCallback;
import org.apache.zookeeper.AsyncCallback.Create2Callback;
import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;

/**
 * The requests of one client's locks to the servers, each as {@code getData /path}. Those that a test names are held back until
 * it lets them go.
 */
final class Requests {

    private final List<String> sent = new CopyOnWriteArrayList<>();
    private final Queue<Runnable> heldBack = new ConcurrentLinkedQueue<>();
    private volatile Predicate<String> holds = request -> false;
    private volatile Predicate<String> drops = request -> false;

    CuratorFramework client(String connectString, Duration session) {
        CuratorFramework client = CuratorFrameworkFactory.builder().connectString(connectString)
                .sessionTimeoutMs((int) session.toMillis()).connectionTimeoutMs(5_000).retryPolicy(new RetryOneTime(100))
                .ensembleTracker(false)
                .zookeeperFactory((servers, timeout, watcher, readOnly) -> new Client(servers, timeout, watcher))
                .build();
        client.start();
        return client;
    }

    /** The requests made so far. */
    List<String> sent() {
        return List.copyOf(sent);
    }

    long count(String kind) {
        return sent.stream().filter(request -> request.startsWith(kind)).count();
    }

    /** From now on requests like this wait for {@link #letGo}. */
    void hold(Predicate<String> like) {
        holds = like;
    }

    /** From now on requests like this are never sent, nor answered. */
    void drop(Predicate<String> like) {
        drops = like;
    }

    boolean holdsSome() {
        return !heldBack.isEmpty();
    }

    void letGo() {
        holds = request -> false;
        for (Runnable next = heldBack.poll(); next != null; next = heldBack.poll()) {
            next.run();
        }
    }

    private void send(String kind, String path, Runnable request) {
        String text = kind + ' ' + path;
        sent.add(text);
        if (holds.test(text)) {
            heldBack.add(request);
        } else if (!drops.test(text)) {
            request.run();
        }
    }

    private final class Client extends ZooKeeper {

        Client(String servers, int timeout, Watcher watcher) throws IOException {
            super(servers, timeout, watcher);
        }

        @Override
        public void create(String path, byte[] data, List<ACL> acl, CreateMode mode, Create2Callback callback, Object context) {
            send("create", path, () -> super.create(path, data, acl, mode, callback, context));
        }

        @Override
        public void delete(String path, int version, VoidCallback callback, Object context) {
            send("delete", path, () -> super.delete(path, version, callback, context));
        }

        @Override
        public void sync(String path, VoidCallback callback, Object context) {
            send("sync", path, () -> super.sync(path, callback, context));
        }

        @Override
        public void getChildren(String path, Watcher watcher, ChildrenCallback callback, Object context) {
            send("getChildren", path, () -> super.getChildren(path, watcher, callback, context));
        }

        @Override
        public void getData(String path, Watcher watcher, DataCallback callback, Object context) {
            boolean ofALock = watcher != null && path.lastIndexOf('/') > 0; // the root is watched by each session
            send(ofALock ? "watchData" : "getData", path, () -> super.getData(path, watcher, callback, context));
        }

        @Override
        public void exists(String path, Watcher watcher, StatCallback callback, Object context) {
            send("exists", path, () -> super.exists(path, watcher, callback, context));
        }

        @Override
        public void setData(String path, byte[] data, int version, StatCallback callback, Object context) {
            send("setData", path, () -> super.setData(path, data, version, callback, context));
        }
    }
}
