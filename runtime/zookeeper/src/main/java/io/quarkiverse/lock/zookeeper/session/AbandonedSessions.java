package io.quarkiverse.lock.zookeeper.session;

import java.io.IOException;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.StaticHostProvider;
import org.jboss.logging.Logger;

/**
 * Sessions that are over for this JVM, but perhaps not for the servers. Curator gives up a client that has been without a
 * connection for the session timeout, and cannot tell them. If they did not run meanwhile, they count the whole timeout again
 * when they are back, and until then keep whatever was locked or waited for. So the session is ended there as soon as there is
 * a connection, by a client that does nothing else; if the servers have ended it themselves, they say so.
 */
final class AbandonedSessions {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock.zookeeper");

    private final CuratorFramework curator;
    private final Consumer<ZooKeeper> login;
    private final Queue<Session> open = new ConcurrentLinkedQueue<>();
    private final Set<ZooKeeper> ending = ConcurrentHashMap.newKeySet();

    /** @param login authenticates a new client: servers may serve nobody else, not even for the end of a session */
    AbandonedSessions(CuratorFramework curator, Consumer<ZooKeeper> login) {
        this.curator = curator;
        this.login = login;
    }

    /** Does nothing if other processes may have the session: it ends with its timeout. */
    void add(Session session) {
        if (!session.shared()) {
            open.add(session);
        }
    }

    /** There is a connection. */
    void end() {
        for (Session next = open.poll(); next != null; next = open.poll()) {
            try {
                new End().begin(next, curator.getZookeeperClient().getCurrentConnectionString());
            } catch (IOException | RuntimeException e) {
                LOG.debugf(e, "%s remains until its timeout is over", next);
            }
        }
    }

    /** Nobody waits for their ends any more, nor until clients are closed, which takes long for one that is connecting. */
    void forget() {
        open.clear();
        if (!ending.isEmpty()) {
            var closing = new Thread(() -> ending.forEach(this::close), "quarkus-lock-zookeeper-forget");
            closing.setDaemon(true);
            closing.start();
        }
    }

    private void close(ZooKeeper client) {
        try {
            client.close(); // also from its own event thread
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        ending.remove(client);
    }

    private final class End implements Watcher {

        private final CompletableFuture<ZooKeeper> client = new CompletableFuture<>();

        void begin(Session session, String servers) throws IOException {
            ZooKeeper before = session.zk();
            ZooKeeper made = new ZooKeeper(servers, session.timeoutMillis(), this, session.id(), before.getSessionPasswd(),
                    false,
                    new StaticHostProvider(new ConnectStringParser(servers).getServerAddresses()), before.getClientConfig());
            ending.add(made);
            try {
                login.accept(made);
            } finally {
                client.complete(made); // it closes itself in any case
            }
        }

        /** Called on the event thread of this client. */
        @Override
        public void process(WatchedEvent event) {
            if (event.getState() != Event.KeeperState.Disconnected) {
                close(client.join());
            }
        }
    }
}
