package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkus.redis.client.RedisClientName;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;

/** Only the application's configuration says where the hosts are. */
class HostNamesTest {

    private static final String PORT = "test.names.port.";
    private static final String HOSTS = "test.names.hosts";

    /** Quarkus sets it for the whole JVM unless asynchronous DNS is enabled, and never removes it. */
    static final String SYSTEM_RESOLVER = "vertx.disableDnsResolver";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideRuntimeConfigKey("quarkus.lock.namespace", "shop")
            .overrideRuntimeConfigKey("quarkus.lock.lease", "2s")
            .overrideRuntimeConfigKey("quarkus.lock.redis.longest-lease", "2s")
            .setBeforeAllCustomizer(Servers::start)
            .setAfterAllCustomizer(Servers::stop)
            .overrideConfigKey("quarkus.lock.redis.quorum", "a,b,c")
            .overrideRuntimeConfigKey("quarkus.redis.a.hosts", "redis://a.locks.test:${" + PORT + "0}")
            .overrideRuntimeConfigKey("quarkus.redis.b.hosts", "redis://b.locks.test:${" + PORT + "1}")
            .overrideRuntimeConfigKey("quarkus.redis.c.hosts", "redis://c.locks.test:${" + PORT + "2}")
            .overrideRuntimeConfigKey("quarkus.vertx.use-async-dns", "true")
            .overrideRuntimeConfigKey("quarkus.vertx.resolver.hosts-path", "${" + HOSTS + "}")
            .withEmptyApplication();

    /** Only in the class loader of the test. */
    static final class Servers {

        private static final List<RedisServer> ALL = new ArrayList<>();

        private Servers() {
        }

        static void start() {
            try {
                Path hosts = Files.createTempFile("hosts-", "");
                Files.writeString(hosts, "127.0.0.1 a.locks.test b.locks.test c.locks.test\n");
                System.setProperty(HOSTS, hosts.toString());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            System.clearProperty(SYSTEM_RESOLVER);
            for (int i = 0; i < 3; i++) {
                RedisServer server = RedisServer.start();
                ALL.add(server);
                System.setProperty(PORT + i, "" + server.port());
            }
        }

        static void stop() {
            ALL.forEach(RedisServer::close);
            try {
                Files.delete(Path.of(System.clearProperty(HOSTS)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Inject
    @RedisClientName("a")
    RedisDataSource application;

    @Inject
    LockManager locks;

    @Test
    @Fault(529)
    void fault529_locksResolveHostsLikeTheApplication() {
        assertThat(application.key().exists("lock:q1:{shop:stock-7}")).as("the application's own client").isFalse();
        try (LockHandle hold = locks.lock("stock-7").tryAcquire(Duration.ofSeconds(20)).orElseThrow()) {
            assertThat(hold.isValid()).isTrue();
        }
    }
}
