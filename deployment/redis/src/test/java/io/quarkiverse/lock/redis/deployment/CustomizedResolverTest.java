package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.vertx.VertxOptionsCustomizer;
import io.vertx.core.VertxOptions;

/** Application code, not a property, configures how Vert.x resolves hosts. */
class CustomizedResolverTest {

    private static final String PORT = "test.customized.port";
    private static final String HOSTS = "test.customized.hosts";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideRuntimeConfigKey("quarkus.lock.namespace", "shop")
            .setBeforeAllCustomizer(Server::start)
            .setAfterAllCustomizer(Server::stop)
            .overrideRuntimeConfigKey("quarkus.redis.hosts", "redis://redis.locks.test:${" + PORT + "}")
            .overrideRuntimeConfigKey("quarkus.vertx.use-async-dns", "true")
            .withApplicationRoot(jar -> jar.addClasses(Hosts.class));

    @Singleton
    public static class Hosts implements VertxOptionsCustomizer {

        @Override
        public void accept(VertxOptions options) {
            options.getAddressResolverOptions().setHostsPath(System.getProperty(HOSTS));
        }
    }

    /** Only in the class loader of the test. */
    static final class Server {

        private static RedisServer redis;

        private Server() {
        }

        static void start() {
            try {
                Path hosts = Files.createTempFile("hosts-", "");
                Files.writeString(hosts, "127.0.0.1 redis.locks.test\n");
                System.setProperty(HOSTS, hosts.toString());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            System.clearProperty(HostNamesTest.SYSTEM_RESOLVER);
            redis = RedisServer.start();
            System.setProperty(PORT, "" + redis.port());
        }

        static void stop() {
            redis.close();
            System.clearProperty(PORT);
            try {
                Files.delete(Path.of(System.clearProperty(HOSTS)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Inject
    RedisDataSource application;

    @Inject
    LockManager locks;

    @Test
    @Fault(529)
    void fault529_locksResolveHostsLikeTheApplication() {
        assertThat(application.key().exists("lock:1:{shop:stock-7}")).as("the application's own client").isFalse();
        try (LockHandle hold = locks.lock("stock-7").tryAcquire(Duration.ofSeconds(20)).orElseThrow()) {
            assertThat(hold.isValid()).isTrue();
        }
    }
}
