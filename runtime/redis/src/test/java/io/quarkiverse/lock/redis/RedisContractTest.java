package io.quarkiverse.lock.redis;

import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.contract.BadInputContract;
import io.quarkiverse.lock.testkit.contract.BodyContract;
import io.quarkiverse.lock.testkit.contract.ClockContract;
import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.contract.FencingContract;
import io.quarkiverse.lock.testkit.contract.LeftoversContract;
import io.quarkiverse.lock.testkit.contract.LossContract;
import io.quarkiverse.lock.testkit.contract.NamesContract;
import io.quarkiverse.lock.testkit.contract.OwnershipContract;
import io.quarkiverse.lock.testkit.contract.RedisContractEnvironment;
import io.quarkiverse.lock.testkit.contract.ReentrancyContract;
import io.quarkiverse.lock.testkit.contract.RenewalContract;
import io.quarkiverse.lock.testkit.contract.ShutdownContract;
import io.quarkiverse.lock.testkit.contract.TokenContract;
import io.quarkiverse.lock.testkit.contract.ValidityContract;
import io.quarkiverse.lock.testkit.contract.VirtualThreadContract;
import io.quarkiverse.lock.testkit.contract.WaitingContract;
import io.quarkiverse.lock.testkit.server.RedisCluster;
import io.quarkiverse.lock.testkit.server.RedisReplication;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/**
 * What every backend has to keep, kept by this one: on a Redis that is started here, or, with
 * {@code -Dlock.test.redis=host:port}, on one that runs already. {@code -Dlock.test.redis.topology=replicated} starts a master
 * and a replica which has to acknowledge everything, {@code =cluster} a cluster of one node.
 */
class RedisContractTest {

    private static final String ELSEWHERE = System.getProperty("lock.test.redis", "");
    private static final String TOPOLOGY = System.getProperty("lock.test.redis.topology", "");

    private static AutoCloseable servers;
    private static RedisServer server;

    @BeforeAll
    static void start() {
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
        if (servers != null) {
            servers.close();
        }
    }

    private static LockBackend backend(String host, int port, String namespace, String owner) {
        return new RedisLockBackend(switch (TOPOLOGY) {
            case "replicated" -> RedisLink.to(options(false, 1), vertx -> client(vertx, host + ":" + port));
            case "cluster" -> RedisLink.toCluster(options(true, 0), new ClusterClients() {
                @Override
                public List<String> seeds() {
                    return List.of(host + ":" + port);
                }

                /** The one node, in whatever way this backend is to reach it. */
                @Override
                public Redis client(Vertx vertx, String node) {
                    return RedisContractTest.client(vertx, host + ":" + port);
                }
            });
            default -> RedisLink.to(RedisLinkOptions.STANDARD, vertx -> client(vertx, host + ":" + port));
        }, namespace, owner);
    }

    private static RedisLinkOptions options(boolean cluster, int replicaAcks) {
        var standard = RedisLinkOptions.STANDARD;
        return new RedisLinkOptions(standard.keyPrefix(), standard.operationTimeout(), standard.retention(), cluster,
                standard.properties(), replicaAcks);
    }

    private static Redis client(Vertx vertx, String address) {
        return Redis.createClient(vertx, new RedisOptions().setConnectionString("redis://" + address));
    }

    private static ContractEnvironment redis() {
        if (server != null) {
            return new RedisContractEnvironment(server, RedisContractTest::backend);
        }
        int colon = ELSEWHERE.lastIndexOf(':');
        return new RedisContractEnvironment(ELSEWHERE.substring(0, colon),
                Integer.parseInt(ELSEWHERE.substring(colon + 1)), RedisContractTest::backend);
    }

    @Nested
    class BadInputTest extends BadInputContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return redis();
        }
    }

    @Nested
    class BodyTest extends BodyContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return redis();
        }
    }

    @Nested
    class ClockTest extends ClockContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return redis();
        }
    }

    @Nested
    class FencingTest extends FencingContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return redis();
        }
    }

    @Nested
    class LeftoversTest extends LeftoversContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return redis();
        }
    }

    @Nested
    class LossTest extends LossContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return redis();
        }
    }

    @Nested
    class NamesTest extends NamesContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return redis();
        }
    }

    @Nested
    class OwnershipTest extends OwnershipContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return redis();
        }
    }

    @Nested
    class ReentrancyTest extends ReentrancyContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return redis();
        }
    }

    @Nested
    class RenewalTest extends RenewalContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return redis();
        }
    }

    @Nested
    class ShutdownTest extends ShutdownContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return redis();
        }
    }

    @Nested
    class TokenTest extends TokenContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return redis();
        }
    }

    @Nested
    class ValidityTest extends ValidityContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return redis();
        }
    }

    @Nested
    class VirtualThreadTest extends VirtualThreadContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return redis();
        }
    }

    @Nested
    class WaitingTest extends WaitingContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return redis();
        }
    }
}
