package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;

/** As many calls run concurrently as the limit allows, with the nodes of either recipe. */
class CountedCallTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideRuntimeConfigKey("quarkus.lock.namespace", "shop")
            .setBeforeAllCustomizer(Server::start)
            .setAfterAllCustomizer(Server::stop)
            .overrideConfigKey("quarkus.lock.zookeeper.nodes", "mutex")
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.connect-string", "${" + Server.ADDRESS + "}")
            .withApplicationRoot(jar -> jar.addClasses(Exports.class, Server.class, Server.Look.class));

    @Inject
    Exports exports;

    @Inject
    LockManager locks;

    @Test
    void concurrentCallsAreLimited() throws Exception {
        List<String> nodes = exports.run(() -> {
            try (LockHandle second = elsewhere()) {
                assertThat(second).isNotNull();
                assertThat(elsewhere()).as("a third").isNull();
                return Server.seen(other -> other.getChildren().forPath("/shop/export"));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(nodes).hasSize(2).allMatch(node -> node.contains("-slot-2-lock-"));
    }

    private LockHandle elsewhere() throws Exception {
        return CompletableFuture.supplyAsync(() -> locks.lock("export", LockOptions.DEFAULTS.withLimit(2))
                .tryAcquire(Duration.ZERO).orElse(null)).get(20, TimeUnit.SECONDS);
    }

    @ApplicationScoped
    public static class Exports {

        @Locked(value = "export", limit = 2)
        public List<String> run(Supplier<List<String>> body) {
            return body.get();
        }
    }
}
