package io.quarkiverse.lock.redis;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.ClusterClients;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.contract.AfterLossContract;
import io.quarkiverse.lock.testkit.contract.BadInputContract;
import io.quarkiverse.lock.testkit.contract.BodyContract;
import io.quarkiverse.lock.testkit.contract.ClockContract;
import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.contract.ContractSubject;
import io.quarkiverse.lock.testkit.contract.DeadlockContract;
import io.quarkiverse.lock.testkit.contract.DowngradeContract;
import io.quarkiverse.lock.testkit.contract.FencingContract;
import io.quarkiverse.lock.testkit.contract.HoldAtLeastContract;
import io.quarkiverse.lock.testkit.contract.JavaLockContract;
import io.quarkiverse.lock.testkit.contract.LeftoversContract;
import io.quarkiverse.lock.testkit.contract.LimitContract;
import io.quarkiverse.lock.testkit.contract.LingerContract;
import io.quarkiverse.lock.testkit.contract.ListContract;
import io.quarkiverse.lock.testkit.contract.LossContract;
import io.quarkiverse.lock.testkit.contract.NamesContract;
import io.quarkiverse.lock.testkit.contract.OwnershipContract;
import io.quarkiverse.lock.testkit.contract.ReadWriteLockContract;
import io.quarkiverse.lock.testkit.contract.RedisContractEnvironment;
import io.quarkiverse.lock.testkit.contract.RedisContractEnvironment.BackendFactory;
import io.quarkiverse.lock.testkit.contract.ReentrancyContract;
import io.quarkiverse.lock.testkit.contract.RenewalContract;
import io.quarkiverse.lock.testkit.contract.RevokeContract;
import io.quarkiverse.lock.testkit.contract.SeveralNamesContract;
import io.quarkiverse.lock.testkit.contract.SharedContract;
import io.quarkiverse.lock.testkit.contract.ShutdownContract;
import io.quarkiverse.lock.testkit.contract.TokenContract;
import io.quarkiverse.lock.testkit.contract.ValidityContract;
import io.quarkiverse.lock.testkit.contract.VirtualThreadContract;
import io.quarkiverse.lock.testkit.contract.WaitingContract;
import io.quarkiverse.lock.testkit.server.RedisCluster;
import io.quarkiverse.lock.testkit.server.RedisReplication;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/**
 * The contract of every backend, kept by this one: on a Redis that is started here or, with
 * {@code -Dlock.test.redis=host:port}, on a running one. {@code -Dlock.test.redis.topology=replicated} starts a master
 * and a replica that must acknowledge everything, {@code =cluster} a cluster of one node, {@code =grace} a server that has
 * sat out its grace.
 */
class RedisContractTest implements ContractSubject {

    private static final String ELSEWHERE = System.getProperty("lock.test.redis", "");
    private static final String TOPOLOGY = System.getProperty("lock.test.redis.topology", "");
    private static final BackendFactory BACKENDS = TOPOLOGY.isEmpty() ? RedisChildBackend::make : RedisContractTest::backend;

    private static final Duration LONGEST = Duration.ofDays(1);
    private static final Duration SOON = Duration.ofSeconds(20);

    private static AutoCloseable servers;
    private static RedisServer server;
    private static Vertx application;

    @BeforeAll
    static void start() {
        application = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
        switch (TOPOLOGY) {
            case "replicated" -> {
                var replication = RedisReplication.start(1);
                servers = replication;
                server = replication.master();
            }
            case "cluster" -> {
                var cluster = RedisCluster.start(1);
                servers = cluster;
                server = cluster.nodes().get(0);
            }
            case "grace" -> {
                server = RedisServer.start();
                servers = server;
                try (Jvm jvm = new Jvm(server.url(), RedisLockOptions.STANDARD.withGrace(LONGEST));
                        TinyRedis redis = server.connect()) {
                    Await.until("the marker is there", SOON, () -> redis.number("EXISTS", "lock:1:marker") == 1);
                    redis.command("HSET", "lock:1:marker", "till", "1");
                }
            }
            default -> {
                if (ELSEWHERE.isEmpty()) {
                    server = RedisServer.start();
                    servers = server;
                }
            }
        }
    }

    @AfterAll
    static void stop() throws Exception {
        application.close();
        if (servers != null) {
            servers.close();
        }
    }

    private static LockBackend backend(String host, int port, String namespace, String owner) {
        if (TOPOLOGY.equals("grace")) {
            return new RedisLockBackend(RedisConnections.to(RedisLockOptions.STANDARD.withGrace(LONGEST),
                    vertx -> client(vertx, host + ":" + port)), namespace, owner);
        }
        boolean cluster = TOPOLOGY.equals("cluster");
        var standard = RedisLockOptions.STANDARD;
        var options = new RedisLockOptions(standard.keyPrefix(), standard.operationTimeout(), standard.retention(), cluster,
                standard.properties(), cluster ? 0 : 1);
        String address = host + ":" + port;
        return new RedisLockBackend(cluster ? RedisConnections.toCluster(options, new OneNode(address))
                : RedisConnections.to(options, vertx -> client(vertx, address)), namespace, owner);
    }

    private static Redis client(Vertx vertx, String address) {
        return Redis.createClient(vertx, new RedisOptions().setConnectionString("redis://" + address));
    }

    /** Whatever the cluster calls its node, this is the address to reach it. */
    private record OneNode(String address) implements ClusterClients {

        @Override
        public List<String> seeds() {
            return List.of(address);
        }

        @Override
        public Redis client(Vertx vertx, String node) {
            return RedisContractTest.client(vertx, address);
        }
    }

    /** The application's one event loop. */
    @SuppressWarnings("deprecation") // a context of Vert.x would do more than run the task there
    private static void onEventLoop(Runnable task) {
        application.nettyEventLoopGroup().execute(task);
    }

    @Override
    public ContractEnvironment newEnvironment() {
        if (server != null) {
            return new RedisContractEnvironment(server, BACKENDS).eventLoops(List.of(RedisContractTest::onEventLoop));
        }
        int colon = ELSEWHERE.lastIndexOf(':');
        return new RedisContractEnvironment(ELSEWHERE.substring(0, colon),
                Integer.parseInt(ELSEWHERE.substring(colon + 1)), BACKENDS);
    }

    @Nested
    class AfterLossTest extends AfterLossContract {
    }

    @Nested
    class BadInputTest extends BadInputContract {
    }

    @Nested
    class BodyTest extends BodyContract {
    }

    @Nested
    class ClockTest extends ClockContract {
    }

    @Nested
    class DeadlockTest extends DeadlockContract {
    }

    @Nested
    class DowngradeTest extends DowngradeContract {
    }

    @Nested
    class FencingTest extends FencingContract {
    }

    @Nested
    class LingerTest extends LingerContract {
    }

    @Nested
    class HoldAtLeastTest extends HoldAtLeastContract {
    }

    @Nested
    class JavaLockTest extends JavaLockContract {
    }

    @Nested
    class ReadWriteLockTest extends ReadWriteLockContract {
    }

    @Nested
    class SeveralNamesTest extends SeveralNamesContract {
    }

    @Nested
    class LeftoversTest extends LeftoversContract {
    }

    @Nested
    class ListTest extends ListContract {
    }

    @Nested
    class LossTest extends LossContract {
    }

    @Nested
    class LimitTest extends LimitContract {
    }

    @Nested
    class NamesTest extends NamesContract {
    }

    @Nested
    class OwnershipTest extends OwnershipContract {
    }

    @Nested
    class ReentrancyTest extends ReentrancyContract {
    }

    @Nested
    class RenewalTest extends RenewalContract {
    }

    @Nested
    class RevokeTest extends RevokeContract {
    }

    @Nested
    class SharedTest extends SharedContract {
    }

    @Nested
    class ShutdownTest extends ShutdownContract {
    }

    @Nested
    class TokenTest extends TokenContract {
    }

    @Nested
    class ValidityTest extends ValidityContract {
    }

    @Nested
    class VirtualThreadTest extends VirtualThreadContract {
    }

    @Nested
    class WaitingTest extends WaitingContract {
    }
}
