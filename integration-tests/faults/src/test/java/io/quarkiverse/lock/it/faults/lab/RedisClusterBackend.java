package io.quarkiverse.lock.it.faults.lab;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.lock.redis.RedisLockBackend;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.ClusterClients;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/**
 * The backend of the JVMs at a Redis Cluster. Its arguments are the number of acknowledgements and the addresses of the nodes
 * as these announce them, each followed by the link to it.
 */
public final class RedisClusterBackend implements ChildBackend {

    static Spec spec(int acks, List<String> addresses, List<String> ways) {
        var arguments = new ArrayList<>(List.of(Integer.toString(acks)));
        for (int i = 0; i < addresses.size(); i++) {
            arguments.add(addresses.get(i));
            arguments.add(ways.get(i));
        }
        return new Spec(RedisClusterBackend.class, arguments);
    }

    /** Creates it in this JVM. */
    static LockBackend of(Spec spec) {
        return new RedisClusterBackend().backend("operator", spec.arguments());
    }

    /** The key of a lock. */
    static String key(String lock) {
        return RedisLockOptions.STANDARD.keyPrefix() + "1:{lab:" + lock + "}";
    }

    @Override
    public LockBackend backend(String owner, List<String> arguments) {
        RedisLockOptions standard = RedisLockOptions.STANDARD;
        var options = new RedisLockOptions(standard.keyPrefix(), standard.operationTimeout(), standard.retention(), true,
                standard.properties(), Integer.parseInt(arguments.get(0)));
        List<String> nodes = arguments.subList(1, arguments.size());
        return new RedisLockBackend(RedisConnections.toCluster(options, new ClusterClients() {
            @Override
            public List<String> seeds() {
                return List.of(nodes.get(0));
            }

            @Override
            public Redis client(Vertx vertx, String node) {
                String way = nodes.get(nodes.indexOf(node) + 1);
                return Redis.createClient(vertx, new RedisOptions().setConnectionString("redis://" + way));
            }
        }), "lab", owner);
    }
}
