package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.stream.Stream;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.testkit.server.RedisCluster;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.quarkus.test.QuarkusUnitTest;

/** Locks in a Redis Cluster: with the guide's user, and one node to start from. */
class ClusterClientTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setBeforeAllCustomizer(Redis::start)
            .setAfterAllCustomizer(Redis::stop)
            .overrideConfigKey("quarkus.lock.redis.client-name", "locks")
            .overrideRuntimeConfigKey("quarkus.redis.locks.client-type", "cluster")
            .overrideRuntimeConfigKey("quarkus.redis.locks.hosts", "${" + Redis.URL + "}")
            .withApplicationRoot(jar -> jar.addClasses(Redis.class));

    @Inject
    LockManager locks;

    @Test
    void locksAreSpreadOverAllNodes() {
        var holds = new ArrayList<LockHandle>();
        for (int i = 0; i < 30; i++) {
            holds.add(locks.lock("stock-" + i).acquire());
        }
        assertThat(holds).allMatch(LockHandle::isValid);
        long[] found = Redis.ports().mapToLong(Redis::holders).toArray();
        assertThat(found).hasSize(3).doesNotContain(0);
        assertThat(found[0] + found[1] + found[2]).isEqualTo(30);
        holds.forEach(LockHandle::close);
        assertThat(Redis.ports().mapToLong(Redis::holders).sum()).isZero();
    }

    /** Runs outside the application, in another class loader: they share only system properties. */
    static final class Redis {

        static final String URL = "test.cluster.url";
        private static final String RIGHTS = "resetchannels ~lock:* &lock:* +hello +ping +client|setname +eval +evalsha +time "
                + "+hlen +hget +hmget +hgetall +hset +hdel +pexpireat +publish +subscribe +info +cluster|slots +asking";
        private static final String PORTS = "test.cluster.ports";

        private static RedisCluster cluster;

        private Redis() {
        }

        static void start() {
            cluster = RedisCluster.start(3);
            cluster.nodes().forEach(node -> {
                try (TinyRedis redis = node.connect()) {
                    redis.command(("ACL SETUSER locks on >s3cret " + RIGHTS).split(" "));
                }
            });
            // By host name, whereas the nodes announce addresses.
            System.setProperty(URL, "redis://locks:s3cret@localhost:" + cluster.nodes().get(0).port());
            System.setProperty(PORTS, String.join(",", cluster.nodes().stream().map(node -> "" + node.port()).toList()));
        }

        static void stop() {
            cluster.close();
        }

        static Stream<String> ports() {
            return Stream.of(System.getProperty(PORTS).split(","));
        }

        static long holders(String port) {
            try (TinyRedis redis = new TinyRedis(RedisServer.HOST, Integer.parseInt(port))) {
                return redis.keys("lock:*").stream()
                        .filter(key -> redis.list("HKEYS", key).stream().anyMatch(field -> field.startsWith("h:"))).count();
            }
        }
    }
}
