package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.server.RedisSentinel;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.quarkus.test.QuarkusUnitTest;

/** A sentinel names the master; a lock that a replica has acknowledged outlives the master. Locks are not in database 0. */
class SentinelClientTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideRuntimeConfigKey("quarkus.lock.namespace", "shop")
            .setBeforeAllCustomizer(Redis::start)
            .setAfterAllCustomizer(Redis::stop)
            .overrideRuntimeConfigKey("quarkus.redis.client-type", "sentinel")
            .overrideRuntimeConfigKey("quarkus.redis.hosts", "${" + Redis.URL + "}?db=1")
            .overrideRuntimeConfigKey("quarkus.redis.master-name", RedisSentinel.MASTER)
            .overrideRuntimeConfigKey("quarkus.redis.role", "replica") // for what the application reads
            .overrideRuntimeConfigKey("quarkus.lock.redis.replica-acks", "1")
            .setLogRecordPredicate(record -> record.getLoggerName().endsWith(".StartLine"))
            .assertLogRecords(records -> assertThat(records).singleElement().satisfies(record -> assertThat(record.getMessage())
                    .matches("Locks are kept by 'redis' \\(the master '" + RedisSentinel.MASTER
                            + "' of the sentinels 127.0.0.1:\\d+/1, key prefix 'lock:'; wait .*")))
            .withApplicationRoot(jar -> jar.addClasses(Redis.class));

    @Inject
    LockManager locks;

    @Test
    void lockSurvivesMasterFailover() {
        var options = LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(60)).withLease(Duration.ofMinutes(2));
        try (LockHandle hold = locks.lock("stock-7", options).acquire()) {
            assertThat(hold.isValid()).isTrue();
            int former = Redis.masterPort();
            assertThat(ProcessHandle.of(Long.getLong(Redis.PID)).orElseThrow().destroyForcibly()).isTrue();
            Await.until("another one is the master", Duration.ofSeconds(60), () -> Redis.masterPort() != former);
            // Once the new master grants, it has been asked about the other lock as well.
            locks.lock("stock-8", options).acquire().close();
            assertThat(hold.isValid()).isTrue();
            try (TinyRedis master = new TinyRedis(RedisServer.HOST, Redis.masterPort())) {
                master.command("SELECT", "1");
                assertThat(master.list("HKEYS", "lock:1:{shop:stock-7}")).anyMatch(field -> field.startsWith("h:"));
            }
        }
    }

    /** Missing a planned fail-over would cost locks. */
    @Test
    void sentinelIsSubscribedDespiteDatabaseNumber() {
        locks.lock("stock-9").acquire().close();
        Await.until("it is listened to", Duration.ofSeconds(10), () -> Redis.listeners() == 1);
    }

    /** Runs outside the application, in another class loader: they share only system properties. */
    static final class Redis {

        static final String URL = "test.sentinel.url";
        static final String PID = "test.master.pid";
        private static final String PORT = "test.sentinel.port";

        private static RedisSentinel redis;

        private Redis() {
        }

        static void start() {
            redis = RedisSentinel.start(2);
            System.setProperty(URL, redis.url());
            System.setProperty(PORT, "" + redis.sentinel().port());
            System.setProperty(PID, "" + redis.master().pid());
        }

        static void stop() {
            redis.close();
        }

        /** Only locks subscribe to four channels of a sentinel. */
        static long listeners() {
            try (TinyRedis sentinel = new TinyRedis(RedisServer.HOST, Integer.getInteger(PORT))) {
                return sentinel.text("CLIENT", "LIST").lines().filter(client -> client.contains(" sub=4 ")).count();
            }
        }

        static int masterPort() {
            try (TinyRedis sentinel = new TinyRedis(RedisServer.HOST, Integer.getInteger(PORT))) {
                return Integer.parseInt(sentinel.list("SENTINEL", "GET-MASTER-ADDR-BY-NAME", RedisSentinel.MASTER).get(1));
            }
        }
    }
}
