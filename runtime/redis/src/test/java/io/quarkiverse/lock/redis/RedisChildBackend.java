package io.quarkiverse.lock.redis;

import java.util.List;

import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** The backend of this test's JVM and of its children: on a host and a port, under a namespace. */
public final class RedisChildBackend implements ChildBackend {

    @Override
    public LockBackend backend(String owner, List<String> arguments) {
        return make(arguments.get(0), Integer.parseInt(arguments.get(1)), arguments.get(2), owner);
    }

    static LockBackend make(String host, int port, String namespace, String owner) {
        return new RedisLockBackend(RedisConnections.to(RedisLockOptions.STANDARD, vertx -> Redis.createClient(vertx,
                new RedisOptions().setConnectionString("redis://" + host + ":" + port))), namespace, owner);
    }
}
