package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.quarkus.test.QuarkusUnitTest;

/** Locks on three servers, one of which dies. The application's user has only the rights that the guide lists. */
class QuorumTest {

    private static final String PORT = "test.quorum.port.";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideRuntimeConfigKey("quarkus.lock.namespace", "shop")
            .overrideRuntimeConfigKey("quarkus.lock.lease", "2s")
            .overrideRuntimeConfigKey("quarkus.lock.redis.longest-lease", "2s")
            .setBeforeAllCustomizer(Servers::start)
            .setAfterAllCustomizer(Servers::stop)
            .overrideConfigKey("quarkus.lock.redis.quorum", "a,b,c")
            .overrideRuntimeConfigKey("quarkus.redis.a.hosts", "redis://locks:password@127.0.0.1:${" + PORT + "0}")
            .overrideRuntimeConfigKey("quarkus.redis.b.hosts", "redis://locks:password@127.0.0.1:${" + PORT + "1}")
            .overrideRuntimeConfigKey("quarkus.redis.c.hosts", "redis://locks:password@127.0.0.1:${" + PORT + "2}")
            .setLogRecordPredicate(record -> record.getLoggerName().endsWith(".StartLine"))
            .assertLogRecords(records -> assertThat(records).singleElement().satisfies(record -> assertThat(record.getMessage())
                    .matches("Locks are kept by 'redis' \\(a quorum of (127.0.0.1:\\d+/0, ){3}"
                            + "key prefix 'lock:'; wait .*")))
            .withEmptyApplication();

    /** Only in the class loader of the test. */
    static final class Servers {

        private static final List<RedisServer> ALL = new ArrayList<>();

        private Servers() {
        }

        static void start() {
            for (int i = 0; i < 3; i++) {
                RedisServer server = RedisServer.start(user());
                ALL.add(server);
                System.setProperty(PORT + i, "" + server.port());
            }
        }

        /** As the guide creates it. */
        private static String user() {
            try {
                String page = Files.readString(Path.of("../../docs/modules/ROOT/pages/quorum.adoc"));
                return "user " + page.replaceAll("(?s).*\\nACL SETUSER (.*?)\\n----.*", "$1").replaceAll("\\s+", " ");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        static void stop() {
            ALL.forEach(RedisServer::close);
        }
    }

    @Inject
    LockManager locks;

    @Test
    void majorityOfServersIsEnough() {
        try (LockHandle hold = locks.lock("stock-7").tryAcquire(Duration.ofSeconds(20)).orElseThrow()) {
            assertThat(hold.isValid()).isTrue();
            assertThat(locks.list(LockQuery.ALL).locks()).extracting(LockInfo::name).containsExactly("stock-7");
            try (TinyRedis redis = new TinyRedis("127.0.0.1", Integer.getInteger(PORT + "0"))) {
                assertThat(redis.keys("*")).contains("lock:q1:{shop:stock-7}", "lock:q1:life");
                redis.send("SHUTDOWN", "NOSAVE");
            }
        }
        try (LockHandle hold = locks.lock("stock-7").tryAcquire(Duration.ofSeconds(20)).orElseThrow()) {
            assertThat(hold.isValid()).isTrue();
        }
        assertThatThrownBy(() -> locks.lock("stock-7", LockOptions.DEFAULTS.withMode(LockMode.SHARED)).acquire())
                .hasMessageContaining("SHARED");
    }
}
