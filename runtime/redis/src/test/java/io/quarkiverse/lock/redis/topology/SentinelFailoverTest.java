package io.quarkiverse.lock.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.redis.connection.ConnectionListener;
import io.quarkiverse.lock.redis.connection.ConnectionListeners;
import io.quarkiverse.lock.redis.connection.EventLoop;
import io.quarkiverse.lock.redis.connection.LiveConnection;
import io.quarkiverse.lock.redis.connection.ReconnectingConnection;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FaultDisplayNames;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** Several sentinels announce the same fail-over at different times. */
@DisplayNameGeneration(FaultDisplayNames.class)
class SentinelFailoverTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final long TIMEOUT = SOON.toNanos();
    private static final String SUCCESSOR = "10.0.0.2:6379";

    private final EventLoop loop = new EventLoop();
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicInteger doubted = new AtomicInteger();
    private RedisServer server;
    private Connection connection;
    private SentinelFailover failover;
    private SentinelSubscription leader;
    private SentinelSubscription other;

    @BeforeEach
    void start() throws Exception {
        server = RedisServer.start();
        connection = new Connection();
        var listeners = new ConnectionListeners();
        listeners.add(new Doubts());
        failover = new SentinelFailover(loop, new MasterConnections(List.of(), connection, "quarkus.redis.", listeners),
                new Sentinels("mymaster", List.of()), TIMEOUT);
        leader = sentinel();
        other = sentinel();
        onLoop(connection::dial);
        Await.until("it is connected", SOON, () -> made.get() == 1);
    }

    @AfterEach
    void close() throws Exception {
        onLoop(() -> {
            connection.close();
            loop.close();
        });
        server.close();
    }

    private SentinelSubscription sentinel() {
        return new SentinelSubscription(loop, vertx -> {
            throw new IllegalStateException("not dialled");
        }, TIMEOUT, "mymaster", failover);
    }

    private void onLoop(Runnable task) throws Exception {
        var done = new CompletableFuture<Boolean>();
        loop.run(() -> {
            task.run();
            done.complete(true);
        });
        done.get(SOON.toSeconds(), TimeUnit.SECONDS);
    }

    /** The leader chooses a successor, and another sentinel is the first to name it. */
    private void replaced() throws Exception {
        onLoop(() -> failover.replacing(leader));
        assertThat(ended).as("connections given up when the successor is chosen").hasValue(1);
        onLoop(() -> failover.replaced(other, SUCCESSOR));
        Await.until("it is connected to the successor", SOON, () -> made.get() == 2);
    }

    /** The leader announces the successor once all replicas follow it; the more replicas, the longer that takes. */
    @Test
    @Fault(309)
    void fault309_leaderRepeatingTheSwitchIsIgnored() throws Exception {
        replaced();
        onLoop(() -> failover.replaced(leader, SUCCESSOR));
        assertThat(ended).hasValue(1);
    }

    @Test
    @Fault(309)
    void fault309_lateSentinelTriggersReconnect() throws Exception {
        replaced();
        onLoop(() -> failover.replaced(sentinel(), SUCCESSOR));
        assertThat(ended).as("the connection may be to the former master").hasValue(2);
        Await.until("it is connected again", SOON, () -> made.get() == 3);
    }

    @Test
    @Fault(309)
    void fault309_leaderNamingAnotherMasterTriggersReconnect() throws Exception {
        replaced();
        onLoop(() -> failover.replaced(leader, SUCCESSOR));
        onLoop(() -> failover.replaced(leader, "10.0.0.3:6379"));
        assertThat(ended).hasValue(2);
    }

    /** Another sentinel may lead the next fail-over, and this one may be the last to hear of it. */
    @Test
    @Fault(309)
    void fault309_disconnectedLeaderLosesItsRole() throws Exception {
        replaced();
        onLoop(() -> leader.down(new IllegalStateException("on purpose")));
        onLoop(() -> failover.replaced(leader, SUCCESSOR));
        assertThat(ended).as("the connection may be to the former master").hasValue(2);
        Await.until("it is connected again", SOON, () -> made.get() == 3);
    }

    /** The successor may not know the former master's grants. */
    @Test
    @Fault(451)
    void fault451_holdsAreInDoubtOnceFailoverBegins() throws Exception {
        onLoop(() -> failover.replacing(leader));
        assertThat(doubted).hasValue(1);
    }

    /** No sentinel has announced the start. */
    @Test
    @Fault(451)
    void fault451_holdsAreInDoubtIfOnlyTheSuccessorIsAnnounced() throws Exception {
        onLoop(() -> failover.replaced(other, SUCCESSOR));
        assertThat(doubted).hasValue(1);
    }

    private final class Doubts implements ConnectionListener {

        @Override
        public void recheck() {
        }

        @Override
        public void disconnected() {
            doubted.incrementAndGet();
        }

        @Override
        public void message(int server, String payload) {
        }
    }

    private final class Connection extends ReconnectingConnection {

        Connection() {
            super(loop, vertx -> Redis.createClient(vertx, new RedisOptions().setConnectionString(server.url())), TIMEOUT,
                    false);
        }

        @Override
        public void up(LiveConnection wire) {
            made.incrementAndGet();
            failover.connected();
        }

        @Override
        public void down(Throwable cause) {
            ended.incrementAndGet();
        }

        @Override
        public void unreachable(Throwable cause) {
        }
    }
}
