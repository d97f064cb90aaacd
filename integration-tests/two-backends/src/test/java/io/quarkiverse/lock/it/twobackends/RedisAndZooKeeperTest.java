package io.quarkiverse.lock.it.twobackends;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import jakarta.inject.Inject;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockManagerName;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.quarkus.test.QuarkusUnitTest;

/** One application's locks in Redis and in ZooKeeper: each in the store of its manager, and independent of the other. */
class RedisAndZooKeeperTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Counter.class, RedisForTest.class, ZooKeeperForTest.class))
            .setBeforeAllCustomizer(() -> {
                RedisForTest.start();
                ZooKeeperForTest.start();
            })
            .setAfterAllCustomizer(() -> {
                ZooKeeperForTest.stop();
                RedisForTest.stop();
            })
            .overrideConfigKey("quarkus.lock.backend", "redis")
            .overrideConfigKey("quarkus.lock.managers.leaders.backend", "zookeeper")
            .overrideRuntimeConfigKey("quarkus.redis.hosts", "redis://127.0.0.1:${" + RedisForTest.PORT + "}")
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.connect-string", "${" + ZooKeeperForTest.ADDRESS + "}");

    @Inject
    LockManager locks;

    @Inject
    @LockManagerName("leaders")
    LockManager leaders;

    @Inject
    CuratorFramework zooKeeper;

    @Test
    void managersUseTheirOwnBackends() throws Exception {
        try (var inZooKeeper = leaders.lock("door").acquire();
                var inRedis = locks.lock("door").tryAcquire(Duration.ZERO).orElseThrow();
                var redis = new TinyRedis("127.0.0.1", Integer.getInteger(RedisForTest.PORT))) {
            assertThat(inZooKeeper.isValid()).isTrue();
            assertThat(inRedis.isValid()).isTrue();
            assertThat(leaders.lock("door").tryAcquire(Duration.ZERO)).isEmpty();
            assertThat(redis.keys("*")).anyMatch(key -> key.contains("door"));
            String root = zooKeeper.getChildren().forPath("/").stream().filter(each -> !each.equals("zookeeper"))
                    .findFirst().orElseThrow();
            assertThat(zooKeeper.getChildren().forPath("/" + root)).contains("door");
        }
        assertThat(leaders.inspect("door")).isEmpty();
        assertThat(locks.inspect("door")).isEmpty();
    }
}
