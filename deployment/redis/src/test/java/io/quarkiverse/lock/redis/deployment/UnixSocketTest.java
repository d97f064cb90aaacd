package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;

/** Redis is on the same machine, reachable only through a Unix socket. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64", disabledReason = "The native transport of the tests is for this one")
class UnixSocketTest {

    private static final String SOCKET = "test.redis.socket";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideRuntimeConfigKey("quarkus.lock.namespace", "shop")
            .setBeforeAllCustomizer(Servers::start)
            .setAfterAllCustomizer(Servers::stop)
            .overrideRuntimeConfigKey("quarkus.redis.hosts", "unix://${" + SOCKET + "}")
            .overrideRuntimeConfigKey("quarkus.vertx.prefer-native-transport", "true")
            .withEmptyApplication();

    /** Only in the class loader of the test. */
    static final class Servers {

        private static RedisServer server;

        private Servers() {
        }

        static void start() {
            try {
                Path socket = Files.createTempDirectory("redis-socket-").resolve("redis.sock");
                server = RedisServer.start("unixsocket " + socket);
                System.setProperty(SOCKET, socket.toString());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        static void stop() {
            server.stop(); // which removes its socket
            server.close();
            try {
                Files.delete(Path.of(System.clearProperty(SOCKET)).getParent());
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
    void fault529_locksUseTheApplicationsTransport() {
        assertThat(application.key().exists("lock:1:{shop:stock-7}")).as("the application's own client").isFalse();
        try (LockHandle hold = locks.lock("stock-7").tryAcquire(Duration.ofSeconds(20)).orElseThrow()) {
            assertThat(hold.isValid()).isTrue();
            assertThat(application.key().exists("lock:1:{shop:stock-7}")).isTrue();
        }
    }
}
