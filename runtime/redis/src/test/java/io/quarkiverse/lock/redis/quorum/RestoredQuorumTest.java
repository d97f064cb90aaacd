package io.quarkiverse.lock.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** Several processes are restored from one checkpoint. */
class RestoredQuorumTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    @Test
    @Fault(502)
    void fault502_restoredCopyUsesItsOwnChannelOnEachServer() {
        try (var cluster = new QuorumCluster(3);
                var copy = new QuorumJvm(cluster, SOON, Duration.ofSeconds(10), "copy")) {
            Await.until("it listens", SOON, copy.backend::tellsOfWaiters);
            List<?> shared = channels(cluster.servers().get(0));
            copy.backend.beforeCheckpoint();
            copy.backend.afterRestore();
            for (RedisServer each : cluster.servers()) {
                Await.until("it listens to another one", SOON,
                        () -> channels(each).size() == 1 && !channels(each).equals(shared));
            }
        }
    }

    /** Otherwise the copy would get no message about the lock until its release. */
    @Test
    @Fault(561)
    void fault561_checkpointedHoldIsMovedToTheNewChannel() {
        try (var cluster = new QuorumCluster(3).satOut(SOON);
                var copy = new QuorumJvm(cluster, SOON, Duration.ofSeconds(10), "copy")) {
            Await.until("it listens", SOON, copy.backend::tellsOfWaiters);
            List<?> shared = channels(cluster.servers().get(0));
            try (LockHandle held = copy.lock("name").acquire()) {
                copy.backend.beforeCheckpoint();
                copy.backend.afterRestore();
                for (RedisServer each : cluster.servers()) {
                    Await.until("they go to where it listens now", SOON, () -> !channelOfHolder(each).equals(shared)
                            && channelOfHolder(each).equals(channels(each)));
                }
                assertThat(held.isValid()).isTrue();
            }
        }
    }

    private static List<String> channelOfHolder(RedisServer server) {
        try (TinyRedis redis = server.connect()) {
            return redis.list("HMGET", "lock:q1:{test:name}", "c");
        }
    }

    private static List<?> channels(RedisServer server) {
        try (TinyRedis redis = server.connect()) {
            return (List<?>) redis.command("PUBSUB", "CHANNELS", "lock:q1:jvm:*");
        }
    }
}
