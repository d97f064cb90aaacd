package io.quarkiverse.lock.it.faults.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.history.HistoryChecker;
import io.quarkiverse.lock.testkit.process.ChildFailure;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.random.RandomLoad;
import io.quarkiverse.lock.testkit.server.ZooKeeperCluster;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkiverse.lock.zookeeper.ZooKeeperLockBackend;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;

/**
 * ZooKeeper, one server or an ensemble, in the laboratory's JVM. Its data survives a restart; sessions can be ended without
 * their owners knowing.
 */
final class ZooKeeperStand implements Stand {

    private static final Duration SESSION = Duration.ofSeconds(4);
    private static final String EXPIRE = "expire";
    private static final Map<LockBackend, CuratorFramework> CLIENTS = new ConcurrentHashMap<>();

    private final Servers servers;

    /** One server or several. */
    interface Servers extends AutoCloseable {
        List<String> addresses();

        List<LabDeed> deeds();

        @Override
        void close();
    }

    /** The backend of the JVMs, at a connect string; and another one that bypasses the proxies. */
    public static final class Backend implements ChildBackend {

        private String direct = "";

        @Override
        public LockBackend backend(String owner, List<String> arguments) {
            direct = arguments.get(1);
            CuratorFramework client = CuratorFrameworkFactory.builder().connectString(arguments.get(0))
                    .sessionTimeoutMs((int) SESSION.toMillis()).connectionTimeoutMs(2_000)
                    .retryPolicy(new RetryOneTime(100)).ensembleTracker(false).build();
            client.start();
            var backend = new ZooKeeperLockBackend(client,
                    ZooKeeperLockOptions.STANDARD.withRoot("/lab").withTickTime(ZooKeeperServer.TICK), owner, client::close);
            CLIENTS.put(backend, client);
            return backend;
        }

        @Override
        public void deed(LockBackend backend, String what) throws Exception {
            ZooKeeperServer.expire(CLIENTS.get(backend).getZookeeperClient().getZooKeeper(), direct);
        }
    }

    ZooKeeperStand(Servers servers) {
        this.servers = servers;
    }

    static ZooKeeperStand one() {
        ZooKeeperServer server = ZooKeeperServer.start();
        return new ZooKeeperStand(new Servers() {
            @Override
            public List<String> addresses() {
                return List.of(server.connectString());
            }

            @Override
            public List<LabDeed> deeds() {
                return List.of(LabDeed.harmful("stop and restart of the server", 2, (site, node, length, lock) -> {
                    server.stop();
                    site.last(length);
                }).healedBy((site, node, length, lock) -> server.restart()));
            }

            @Override
            public void close() {
                server.close();
            }
        });
    }

    /** Three servers, whose leader is stopped: the others elect another one, and all sessions continue. */
    static ZooKeeperStand ensemble() {
        ZooKeeperCluster cluster = ZooKeeperCluster.start();
        cluster.leader();
        var stopped = new AtomicInteger(-1);
        return new ZooKeeperStand(new Servers() {
            @Override
            public List<String> addresses() {
                return cluster.servers();
            }

            @Override
            public List<LabDeed> deeds() {
                return List.of(LabDeed.harmful("stop and restart of the leader", 2, (site, node, length, lock) -> {
                    stopped.set(cluster.leader());
                    cluster.kill(stopped.get());
                    site.last(4 * length);
                }).healedBy((site, node, length, lock) -> {
                    cluster.restart(stopped.get());
                    cluster.leader();
                }));
            }

            @Override
            public void close() {
                cluster.close();
            }
        });
    }

    @Override
    public String name() {
        return servers.addresses().size() == 1 ? "zookeeper" : "zookeeper-ensemble";
    }

    @Override
    public StoreLink link() {
        return StoreLink.to(servers.addresses());
    }

    @Override
    public ChildBackend.Spec backend(StoreLink link) {
        return new ChildBackend.Spec(Backend.class, List.of(link.addresses(), direct()));
    }

    private String direct() {
        return String.join(",", servers.addresses());
    }

    @Override
    public LockBackend operator() {
        return new Backend().backend("operator", List.of(direct(), direct()));
    }

    @Override
    public List<LabDeed> deeds() {
        var deeds = new ArrayList<LabDeed>(servers.deeds());
        deeds.add(CommonDeeds.pause("SIGSTOP of a JVM, for longer than its session", 2, SESSION));
        deeds.add(LabDeed.harmful("blackhole, for longer than a session", 2, (site, node, length, lock) -> {
            // Its locks pass to others before it learns of that: only its own clock can tell it
            CommonDeeds.linger(node, SESSION.multipliedBy(2));
            site.last(LabNemesis.MILLISECOND * 700);
            node.link().each(FaultProxy::blackhole);
            site.last(SESSION.toNanos() * 3 / 2 + length);
        }).healedBy((site, node, length, lock) -> {
            CommonDeeds.linger(node, Duration.ZERO);
            node.link().each(FaultProxy::pass);
        }));
        deeds.add(LabDeed.harmful("silence of the servers", 1, (site, node, length, lock) -> {
            site.nodes().forEach(each -> each.link().each(FaultProxy::blackhole));
            site.last(length);
        }).healedBy((site, node, length, lock) -> site.nodes().forEach(each -> each.link().each(FaultProxy::pass))));
        deeds.add(LabDeed.harmful("end of a session", 3, (site, node, length, lock) -> {
            // The servers end it at once, and the client learns of it only from them
            site.forceAny(() -> {
                try {
                    node.jvm().current().ask(EXPIRE);
                } catch (ChildFailure e) {
                    site.say("Not ended: " + e.getMessage());
                }
            });
        }));
        return deeds;
    }

    /** Whatever its lease, a dead holder's lock is kept as long as its session. */
    @Override
    public RandomLoad load() {
        return new RandomLoad(NAMES, THREADS, LONGEST_LEASE, SESSION, 1); // a timer for the heartbeat
    }

    /** A dead waiter stays in the way as long as its session. */
    @Override
    public HistoryChecker limits() {
        HistoryChecker standard = HistoryChecker.STANDARD;
        return new HistoryChecker(standard.slack(), standard.rest(), standard.recovery().plus(SESSION));
    }

    @Override
    public Duration latestTakeover() {
        return Stand.super.latestTakeover().plus(SESSION);
    }

    @Override
    public void close() {
        servers.close();
    }
}
