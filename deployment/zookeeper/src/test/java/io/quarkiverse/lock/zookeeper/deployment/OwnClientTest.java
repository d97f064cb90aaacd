package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.testkit.Await;
import io.quarkus.test.QuarkusUnitTest;

/** An application's own client is used, and left open. */
class OwnClientTest {

    private static final String ROOT = "/mine/shop";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideRuntimeConfigKey("quarkus.lock.namespace", "shop")
            .setBeforeAllCustomizer(Server::start)
            .setAfterUndeployListener(OwnClientTest::afterwards)
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.connect-string", "127.0.0.1:1")
            .setLogRecordPredicate(record -> record.getLoggerName().equals("io.quarkiverse.lock.zookeeper"))
            .assertLogRecords(records -> assertThat(records)
                    .anyMatch(record -> record.getMessage().contains("connect-string is not used")))
            .withApplicationRoot(jar -> jar.addClasses(Own.class, Server.class, Server.Look.class));

    @Inject
    LockManager locks;

    @Test
    void applicationsClientIsUsed() throws Exception {
        try (LockHandle hold = locks.lock("stock-7").acquire()) {
            assertThat(hold.isValid()).isTrue();
            int nodes = Server.seen(other -> other.getChildren().forPath(ROOT + "/stock-7").size());
            assertThat(nodes).isEqualTo(1);
        }
    }

    /** An ephemeral node exists for as long as its session. */
    private static void afterwards() {
        try {
            Await.until("locks are given back", Duration.ofSeconds(20), Server.hasNoNodeUnder(ROOT + "/stock-7"));
            boolean open = Server.seen(other -> other.checkExists().forPath("/mine/open") != null);
            assertThat(open).as("the application's session").isTrue();
        } catch (Exception e) {
            throw new AssertionError(e);
        } finally {
            Server.stop();
        }
    }

    @ApplicationScoped
    public static class Own {

        @Produces
        @ApplicationScoped
        CuratorFramework client() throws Exception {
            CuratorFramework client = CuratorFrameworkFactory.builder().namespace("mine")
                    .connectString(System.getProperty(Server.ADDRESS)).retryPolicy(new RetryOneTime(100)).build();
            client.start();
            client.create().withMode(CreateMode.EPHEMERAL).forPath("/open");
            return client;
        }
    }
}
