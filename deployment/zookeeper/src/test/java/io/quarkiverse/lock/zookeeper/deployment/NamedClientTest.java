package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.annotation.Identifier;

/** Locks use the one of several clients that is named for them. */
class NamedClientTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideRuntimeConfigKey("quarkus.lock.namespace", "shop")
            .setBeforeAllCustomizer(Server::start)
            .setAfterAllCustomizer(Server::stop)
            .overrideConfigKey("quarkus.lock.zookeeper.client-name", "locks")
            .setLogRecordPredicate(record -> record.getLoggerName().endsWith(".StartLine"))
            .assertLogRecords(records -> assertThat(records).singleElement().satisfies(record -> assertThat(record.getMessage())
                    .matches("Locks are kept by 'zookeeper' \\(127.0.0.1:\\d+, path /named/shop; "
                            + "wait 10s, lease at most 30s, renewed, on loss fail\\), .*")))
            .withApplicationRoot(jar -> jar.addClasses(Two.class, Server.class, Server.Look.class));

    @Inject
    LockManager locks;

    @Test
    void namedClientHoldsTheLocks() throws Exception {
        try (var hold = locks.lock("stock-7").acquire()) {
            int nodes = Server.seen(other -> other.getChildren().forPath("/named/shop/stock-7").size());
            assertThat(nodes).isEqualTo(1);
            assertThat(hold.isValid()).isTrue();
        }
    }

    @ApplicationScoped
    public static class Two {

        @Produces
        @ApplicationScoped
        @Identifier("locks")
        CuratorFramework named() {
            CuratorFramework client = CuratorFrameworkFactory.builder().namespace("named")
                    .connectString(System.getProperty(Server.ADDRESS)).retryPolicy(new RetryOneTime(100)).build();
            client.start();
            return client;
        }

        @Produces
        @ApplicationScoped
        CuratorFramework other() {
            throw new UnsupportedOperationException();
        }
    }
}
