package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.testkit.Await;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** The backend's artifact and the address of a ZooKeeper are all that locks need to be in that ZooKeeper. */
class ProducedClientTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setBeforeAllCustomizer(Server::start)
            .setAfterAllCustomizer(Server::stop)
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.connect-string", "${" + Server.ADDRESS + "}")
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.root", "/apps/locks")
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.session-timeout", "7s")
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.auth.username", "shop")
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.auth.password", "secret")
            .overrideConfigKey("quarkus.lock.namespace", "shop")
            .withApplicationRoot(jar -> jar.addClasses(Stock.class, Server.class, Server.Look.class));

    @Inject
    LockManager locks;

    @Inject
    Stock stock;

    @Inject
    CuratorFramework client;

    @Test
    void locksAreStoredUnderConfiguredPath() throws Exception {
        try (LockHandle hold = locks.lock("stock 7").acquire()) {
            assertThat(hold.isValid()).isTrue();
            assertThat(client.getChildren().forPath("/apps/locks/shop/stock%207")).hasSize(1);
            assertThat(client.getZookeeperClient().getLastNegotiatedSessionTimeoutMs()).isEqualTo(7_000);
        }
        Await.until("it is released", Duration.ofSeconds(20),
                () -> client.getChildren().forPath("/apps/locks/shop/stock%207").isEmpty());
    }

    @Test
    void nodesAreHiddenFromOtherIdentities() {
        try (LockHandle hold = locks.lock("mine").acquire()) {
            assertThatThrownBy(() -> Server.seen(other -> other.getChildren().forPath("/apps/locks/shop/mine")))
                    .isInstanceOf(NoAuthException.class);
            assertThat(hold.isValid()).isTrue();
        }
    }

    @Test
    void annotatedMethodsUseTheBackend() {
        assertThat(stock.take(3)).isEqualTo(1);
        assertThat(stock.takeLater(4).await().atMost(Duration.ofSeconds(20))).isEqualTo(1);
    }

    @ApplicationScoped
    public static class Stock {

        @Inject
        LockManager locks;

        @Locked("stock-{id}")
        public int take(int id) {
            return locks.inspect("stock-" + id).orElseThrow().holders().size();
        }

        @Locked("stock-{id}")
        public Uni<Integer> takeLater(int id) {
            return locks.inspectAsync("stock-" + id).map(info -> info.orElseThrow().holders().size());
        }
    }
}
