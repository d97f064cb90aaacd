package io.quarkiverse.lock.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.redis.connection.EventLoop;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkiverse.lock.testkit.server.RedisSentinel;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** A sentinel that cannot be subscribed to, or does not name the master. */
class SentinelSubscriptionTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    /** Enough for a connection on a busy machine. */
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final EventLoop loop = new EventLoop();
    private final AtomicInteger dialled = new AtomicInteger();
    private final Told told = new Told();
    private RedisSentinel redis;
    private SentinelSubscription subscription;

    @BeforeEach
    void start() {
        redis = RedisSentinel.start(1);
    }

    @AfterEach
    void close() {
        loop.run(() -> {
            subscription.close();
            loop.close();
        });
        redis.close();
    }

    /** The subscription works, but a firewall has dropped the connection for the query. */
    @Test
    @Fault(458)
    void fault458_sentinelIsAskedAgainAfterTimeout() throws IOException {
        try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            var thread = new Thread(() -> saysHello(silent));
            thread.setDaemon(true);
            thread.start();
            listen("redis://127.0.0.1:" + silent.getLocalPort());
            Await.until("it has answered", SOON, () -> told.masters.get() > 0);
        }
    }

    @Test
    @Fault(458)
    void fault458_sentinelIsAskedAgainAfterConnectFailure() {
        listen("redis://127.0.0.1:1");
        Await.until("it has answered", SOON, () -> told.masters.get() > 0);
    }

    /** The sentinel expects another password. */
    @Test
    @Fault(457)
    void fault457_refusedSentinelConnectionIsLoggedOnce() {
        try (var log = LogLines.warnings(SentinelSubscription.class.getName())) {
            String url = redis.url().replace("redis://", "redis://somebody:wrong@");
            subscription = new SentinelSubscription(loop, vertx -> {
                dialled.incrementAndGet();
                return Redis.createClient(vertx, new RedisOptions().setConnectionString(url));
            }, TIMEOUT.toNanos(), RedisSentinel.MASTER, told);
            loop.run(subscription::dial);
            Await.until("it has been tried again", SOON, () -> dialled.get() > 2);
            assertThat(log.messages()).singleElement().asString().contains("refuses the connection").contains("WRONGPASS");
        }
    }

    /** Publishes as a sentinel does; a sentinel itself lets nobody else publish. */
    @Test
    @Fault(562)
    void fault562_switchOfMasterNamedMasterIsReported() {
        var server = redis.servers().get(0);
        subscription = new SentinelSubscription(loop, vertx -> client(vertx, server.url()), TIMEOUT.toNanos(), "master", told);
        loop.run(subscription::dial);
        try (TinyRedis publisher = server.connect()) {
            Await.until("it has been published to the subscription", SOON,
                    () -> publisher.number("PUBLISH", "+switch-master", "master 10.0.0.1 6379 10.0.0.2 6379") == 1);
        }
        Await.until("the successor is named", SOON, () -> told.successors.contains("10.0.0.2:6379"));
    }

    /** @param asked where the first query goes */
    private void listen(String asked) {
        subscription = new SentinelSubscription(loop,
                vertx -> client(vertx, dialled.incrementAndGet() == 2 ? asked : redis.url()),
                TIMEOUT.toNanos(), RedisSentinel.MASTER, told);
        loop.run(subscription::dial);
    }

    private static Redis client(Vertx vertx, String url) {
        return Redis.createClient(vertx, new RedisOptions().setProtocolNegotiation(false).setConnectionString(url));
    }

    /** Answers the handshake of clients, and nothing else. */
    private static void saysHello(ServerSocket silent) {
        try (Socket client = silent.accept()) {
            var chunk = new byte[1024];
            for (int length; (length = client.getInputStream().read(chunk)) > 0;) {
                String asked = new String(chunk, 0, length, StandardCharsets.US_ASCII).toUpperCase(Locale.ROOT);
                String answer = asked.contains("PING") ? "+PONG\r\n" : asked.contains("HELLO") ? "-ERR unknown\r\n" : "";
                client.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException e) {
            // the test is over
        }
    }

    private static final class Told implements SentinelSubscription.Watcher {

        private final AtomicInteger masters = new AtomicInteger();
        private final Set<String> successors = ConcurrentHashMap.newKeySet();

        @Override
        public void listened(SentinelSubscription to) {
        }

        @Override
        public void master(long epoch, String address) {
            masters.incrementAndGet();
        }

        @Override
        public void replacing(SentinelSubscription leader) {
        }

        @Override
        public void leadsNone(SentinelSubscription sentinel) {
        }

        @Override
        public void aborted() {
        }

        @Override
        public void replaced(SentinelSubscription by, String address) {
            successors.add(address);
        }
    }
}
