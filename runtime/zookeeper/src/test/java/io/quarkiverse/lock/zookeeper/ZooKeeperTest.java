package io.quarkiverse.lock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.FaultDisplayNames;
import io.quarkiverse.lock.testkit.Opened;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;
import io.smallrye.mutiny.Uni;

/** A server for each class; a separate root, a client to look with, and fresh JVMs for each test. */
@DisplayNameGeneration(FaultDisplayNames.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class ZooKeeperTest {

    static final Duration SOON = Duration.ofSeconds(20);
    /** Long enough not to end during a test. */
    static final Duration LONG_SESSION = Duration.ofSeconds(120);

    static {
        // Mutiny looks for its plug-ins at the first use, which is not safe on two threads at once
        Uni.createFrom().item(() -> true).await().indefinitely();
    }

    static ZooKeeperServer server;

    final String root = "/test-" + UUID.randomUUID();
    final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        var thread = new Thread(task, "test");
        thread.setDaemon(true);
        return thread;
    });
    CuratorFramework store;
    private final Opened opened = new Opened();

    @BeforeAll
    static void startServer() {
        server = ZooKeeperServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void openStore() {
        store = opened(Clients.started(server.connectString(), LONG_SESSION));
        awaitConnection(store);
    }

    @AfterEach
    void closeAll() throws Exception {
        threads.shutdownNow();
        opened.close();
    }

    <T extends AutoCloseable> T opened(T closeable) {
        return opened.add(closeable);
    }

    ZooKeeperLockOptions options() {
        return ZooKeeperLockOptions.STANDARD.withRoot(root).withTickTime(ZooKeeperServer.TICK);
    }

    Jvm jvm() {
        return jvm(server.connectString(), LONG_SESSION);
    }

    Jvm jvm(FaultProxy proxy, Duration session) {
        return jvm(proxy.host() + ":" + proxy.port(), session);
    }

    Jvm jvm(String connectString, Duration session) {
        return opened(new Jvm(connectString, session, options()));
    }

    Asking recorded() {
        return recorded(LONG_SESSION);
    }

    /** A connected JVM whose requests are recorded. */
    Asking recorded(Duration session) {
        var asking = opened(new Asking(server.connectString(), session, options()));
        asking.jvm.release(asking.jvm.grant("first"));
        return asking;
    }

    Jvm.Waiting waiting(Asking asking, String name, int before) {
        return waiting(asking, Jvm.newClaim(name, LockMode.EXCLUSIVE, true), before);
    }

    /** @param before how many nodes come before its own */
    Jvm.Waiting waiting(Asking asking, Claim claim, int before) {
        Jvm.Waiting waiting = asking.jvm.claim(claim);
        awaitNodes(claim.name(), before + 1);
        Await.until("it waits", SOON, claim::taken);
        return waiting;
    }

    FaultProxy proxy() {
        return opened(FaultProxy.to(server.host(), server.port()));
    }

    /** The lock manager as an application gets it. */
    LockManager locks(CuratorFramework client) {
        return locks(client, options());
    }

    LockManager locks(CuratorFramework client, ZooKeeperLockOptions options) {
        LockEngine engine = opened(LockEngine.builder(new ZooKeeperLockBackend(client, options, "somebody")).start());
        return engine.manager(ManagerDefaults.STANDARD);
    }

    CuratorFramework client(Duration session) {
        return opened(Clients.started(server.connectString(), session));
    }

    /** The names of a lock's nodes. */
    List<String> nodes(String name) {
        return children(store, name);
    }

    List<String> children(CuratorFramework looking, String name) {
        for (int attempt = 1;; attempt++) {
            try {
                return looking.getChildren().forPath(root + '/' + name);
            } catch (KeeperException.NoNodeException e) {
                return List.of();
            } catch (KeeperException.ConnectionLossException e) {
                if (attempt == 5) {
                    throw new IllegalStateException(e);
                }
                awaitConnection(looking);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void awaitConnection(CuratorFramework client) {
        ZooKeeperServer.awaitConnection(client.getZookeeperClient()::isConnected);
    }

    String nodeBehind(ZooKeeperGrant held) {
        return nodes(held.name()).stream().filter(each -> !each.equals(held.node())).findFirst().orElseThrow();
    }

    void awaitNodes(String name, int count) {
        Await.until(() -> count + " nodes, but there are " + nodes(name), SOON, () -> nodes(name).size() == count);
    }

    void deleteNode(String path) {
        try {
            store.delete().forPath(path);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static RuntimeException failure(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            return e;
        }
        throw new AssertionError("No failure");
    }
}
