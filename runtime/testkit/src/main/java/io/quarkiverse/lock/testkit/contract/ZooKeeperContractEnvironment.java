package io.quarkiverse.lock.testkit.contract;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;

/**
 * A root in a ZooKeeper server that several tests share, with a proxy in front of each client. A client's session is far longer
 * than any lease of the contract, so that a lease lasts as long as it says. The session of a
 * {@linkplain #linked client that can be cut off} is as short as the cut-off leases allow, since a dead holder's lease ends
 * with its session.
 *
 * <pre>{@code
 * static final ZooKeeperServer SERVER = ZooKeeperServer.start();
 *
 * protected ContractEnvironment newEnvironment() {
 *     return new ZooKeeperContractEnvironment(SERVER, (connectString, root, session, owner) -> ...);
 * }
 * }</pre>
 */
public final class ZooKeeperContractEnvironment implements ContractEnvironment {

    private static final Duration LONG_SESSION = Duration.ofMinutes(10);
    private static final Duration SHORT_SESSION = Duration.ofSeconds(15);
    /** Shorter than the time that tests wait for the lock of a killed JVM. */
    private static final Duration CHILD_SESSION = Duration.ofSeconds(6);

    /** Creates the backend under test. */
    @FunctionalInterface
    public interface BackendFactory {

        /** A new backend with its own client, which it closes when it is closed. */
        LockBackend backend(String connectString, String root, Duration session, String owner);
    }

    private final ZooKeeperServer server;
    private final BackendFactory factory;
    private final String root = "/contract-" + UUID.randomUUID();
    private final List<FaultProxy> proxies = new CopyOnWriteArrayList<>();
    private @Nullable Class<? extends ChildBackend> childBackend;
    private @Nullable ZooKeeper administrator;

    public ZooKeeperContractEnvironment(ZooKeeperServer server, BackendFactory factory) {
        this.server = server;
        this.factory = factory;
    }

    /**
     * For tests with separate JVMs.
     *
     * @param factory gets the connect string, the root and the session timeout in ms as its arguments
     */
    public ZooKeeperContractEnvironment childBackend(Class<? extends ChildBackend> factory) {
        this.childBackend = factory;
        return this;
    }

    @Override
    public String name() {
        return "zookeeper";
    }

    @Override
    public Set<Ability> abilities() {
        Set<Ability> all = EnumSet.complementOf(EnumSet.of(Ability.VIRTUAL_THREADS, Ability.LOSE_DATA,
                Ability.STORE_LEASES));
        if (childBackend == null) {
            all.remove(Ability.CHILD_JVMS);
        }
        return all;
    }

    /** The lease is the session's, and a name is free once its node is gone. */
    @Override
    public Set<Feature> features() {
        return EnumSet.complementOf(EnumSet.of(Feature.LEASE, Feature.HOLD_AT_LEAST));
    }

    @Override
    public LockBackend backend(String owner) {
        return backend(proxy(), LONG_SESSION, owner);
    }

    @Override
    public Link.Linked linked(String owner) {
        FaultProxy proxy = proxy();
        return new Link.Linked(backend(proxy, SHORT_SESSION, owner), new ProxiedLink(proxy));
    }

    private LockBackend backend(FaultProxy proxy, Duration session, String owner) {
        return factory.backend(proxy.host() + ":" + proxy.port(), root, session, owner);
    }

    private FaultProxy proxy() {
        FaultProxy proxy = FaultProxy.to(server.host(), server.port());
        proxies.add(proxy);
        return proxy;
    }

    @Override
    public void deleteGrant(String name) {
        String container = root + '/' + name;
        for (String child : children(container)) {
            delete(container + '/' + child);
        }
        delete(container);
    }

    @Override
    public void pauseStore() {
        proxies.forEach(FaultProxy::blackhole);
    }

    @Override
    public void resumeStore() {
        proxies.forEach(FaultProxy::pass);
    }

    @Override
    public void restartStore() {
        server.restart();
    }

    @Override
    public ChildBackend.Spec childBackend() {
        return new ChildBackend.Spec(childBackend,
                List.of(server.connectString(), root, String.valueOf(CHILD_SESSION.toMillis())));
    }

    /** A killed client was last heard of when it sent its last ping, at most a third of the session timeout ago. */
    @Override
    public Duration earliestTakeover(Duration lease) {
        return CHILD_SESSION.dividedBy(2);
    }

    @Override
    public Duration latestTakeover(Duration lease) {
        return CHILD_SESSION.plusSeconds(4);
    }

    /** The paths of all lock nodes. */
    @Override
    public List<String> leftovers() {
        var left = new ArrayList<String>();
        for (String name : children(root)) {
            for (String child : children(root + '/' + name)) {
                left.add(root + '/' + name + '/' + child);
            }
        }
        return left;
    }

    private List<String> children(String path) {
        try {
            return administrator().getChildren(path, false);
        } catch (KeeperException.NoNodeException e) {
            return List.of();
        } catch (KeeperException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void delete(String path) {
        try {
            administrator().delete(path, -1);
        } catch (KeeperException.NoNodeException e) {
            // That was the intention
        } catch (KeeperException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private synchronized ZooKeeper administrator() throws InterruptedException {
        if (administrator == null) {
            var connected = new CountDownLatch(1);
            try {
                administrator = new ZooKeeper(server.connectString(), 60_000, event -> connected.countDown());
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            connected.await();
        }
        return administrator;
    }

    @Override
    public void close() throws InterruptedException {
        if (administrator != null) {
            administrator.close();
        }
        proxies.forEach(FaultProxy::close);
    }
}
