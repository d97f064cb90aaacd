package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkiverse.lock.testkit.server.RedisReplication;
import io.quarkiverse.lock.testkit.server.RedisServer;

/** The additional permissions for replica acknowledgements, and no others. */
class ReplicaPermissionTest extends LockUser {

    private static RedisReplication redis;

    @BeforeAll
    static void start() {
        redis = RedisReplication.start(1);
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Override
    List<RedisServer> servers() {
        return List.of(redis.master());
    }

    @Override
    RedisConnections link() {
        return RedisConnections.to(options(false, 1),
                vertx -> client(vertx, redis.master().host() + ":" + redis.master().port()));
    }

    @Test
    void documentedPermissionsAreSufficient() {
        try (var log = LogLines.warnings(RedisLockBackend.class.getPackageName())) {
            Jvm holder = user("+wait");
            Jvm other = user("+wait");
            Grant first = holder.grant("name");
            assertThat(holder.renew(first).renewed()).hasSize(1);
            Jvm.Waiting waiting = other.claim("name");
            awaitQueued(waiting, redis.master());
            other.time.timers = false;
            holder.release(first);
            Grant second = waiting.grant();
            assertThat(Jvm.get(holder.backend.forceRelease("name"))).isTrue();
            assertThat(RedisTest.failure(() -> other.release(second))).isInstanceOf(LockLostException.class);
            assertThat(log.messages()).isEmpty();
        }
    }

    @Test
    void missingWaitPermissionIsReported() {
        Jvm jvm = user();
        assertThat(RedisTest.failure(() -> jvm.ask("name"))).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("is not allowed to do what locks need").hasMessageContaining("ACL SETUSER")
                .hasMessageContaining("+wait");
    }
}
