package io.quarkiverse.lock.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.redis.Rights;
import io.quarkiverse.lock.redis.connection.SubscriptionConnection;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FaultDisplayNames;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkiverse.lock.testkit.NoNews;
import io.quarkiverse.lock.testkit.TestTime;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** Users of a quorum with just enough permissions, and with too few. */
@DisplayNameGeneration(FaultDisplayNames.class)
class QuorumPermissionTest {

    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final List<String> NEEDED = Rights.inGuide("quorum");

    private final List<QuorumLockBackend> opened = new ArrayList<>();
    private QuorumCluster cluster;

    @BeforeEach
    void start() {
        cluster = new QuorumCluster(3).satOut(LONGEST);
    }

    @AfterEach
    void closeAll() {
        opened.forEach(QuorumLockBackend::close);
        cluster.close();
    }

    @Test
    void documentedPermissionsAreSufficient() {
        try (var log = LogLines.warnings(QuorumLockBackend.class.getPackageName())) {
            QuorumLockBackend holder = user(NEEDED, "");
            QuorumLockBackend other = user(NEEDED, "");
            Await.until("they listen", SOON, () -> holder.tellsOfWaiters() && other.tellsOfWaiters());
            var first = (Grant) holder.acquire(claim(1, false)).await().atMost(SOON);
            Claim waits = claim(2, true);
            var second = new CompletableFuture<Answer>();
            other.acquire(waits).subscribe().with(second::complete, second::completeExceptionally);
            Await.until("it is told who has the lock", SOON, () -> waits.heldBy() != null || waits.trouble() != null);
            assertThat(waits.trouble()).isNull();
            assertThat(holder.renew(List.of(first)).await().atMost(SOON).renewed()).hasSize(1);
            assertThat(other.waitNotes().note(waits, "note").await().atMost(SOON)).isTrue();
            assertThat(holder.waitNotes().line("name").await().atMost(SOON).waiters()).hasSize(1);
            assertThat(holder.inspect("name").await().atMost(SOON)).isPresent();
            assertThat(holder.list(LockQuery.ALL).await().atMost(SOON).locks()).extracting(LockInfo::name)
                    .containsExactly("name");
            holder.release(first).await().atMost(SOON);
            Await.until("it has the lock", SOON, second::isDone);
            assertThat(holder.requestRelease("name").await().atMost(SOON)).isTrue();
            assertThat(holder.forceRelease("name").await().atMost(SOON)).isTrue();
            assertThat(log.messages()).isEmpty();
        }
    }

    @Test
    void guidePermissionsMatchScriptCommands() {
        assertThat(Rights.commands(NEEDED.stream())).isEqualTo(Rights.calledByScripts(true));
    }

    @Test
    void errorMessageListsAllScriptCommands() {
        try (TinyRedis redis = cluster.server(0).connect()) {
            assertThat(Rights.inMessage(failure(without("+evalsha"), ""), redis)).containsAll(Rights.calledByScripts(true));
        }
    }

    @Test
    void missingSubscribePermissionIsLoggedWithItsEffect() {
        try (var log = LogLines.warnings(SubscriptionConnection.class.getPackageName())) {
            user(without("+subscribe"), "");
            Await.until("it says so", SOON, () -> !log.messages().isEmpty());
            assertThat(log.messages().get(0)).contains("Redis refuses the subscription to lock:q1:")
                    .contains("waits for as long as callers elsewhere wait for the same lock")
                    .contains("ACL SETUSER <user> +subscribe resetchannels &lock:q1:");
        }
    }

    /** Before 7.0, SELECT is not in the category of connection commands. */
    @Test
    @Fault(560)
    void fault560_missingConnectionPermissionIsReportedWithAllOthers() {
        String message = failure(NEEDED, "/1");
        try (TinyRedis redis = cluster.server(0).connect()) {
            assertThat(Rights.inMessage(message, redis)).contains("select").containsAll(Rights.calledByScripts(true));
        }
    }

    private String failure(List<String> rights, String database) {
        QuorumLockBackend backend = user(rights, database);
        Throwable failure = catchThrowable(() -> backend.acquire(claim(1, false)).await().atMost(SOON));
        assertThat(failure).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("is not allowed to do what locks need");
        return failure.getMessage();
    }

    private static Claim claim(long number, boolean waits) {
        return new Claim("name", 7, number, LockMode.EXCLUSIVE, 0, Duration.ofSeconds(20).toNanos(), waits);
    }

    private QuorumLockBackend user(List<String> rights, String database) {
        var command = new ArrayList<>(List.of("ACL", "SETUSER", "locks", "reset", "on", ">secret"));
        command.addAll(rights);
        for (RedisServer server : cluster.servers()) {
            try (TinyRedis redis = server.connect()) {
                redis.command(command.toArray(String[]::new));
            }
        }
        var members = IntStream.range(0, 3).mapToObj(i -> {
            String url = "redis://locks:secret@127.0.0.1:" + cluster.server(i).port() + database;
            return new QuorumServers.Member("quarkus.redis.s" + i + ".",
                    vertx -> Redis.createClient(vertx, new RedisOptions().setConnectionString(url)));
        }).toList();
        var backend = new QuorumLockBackend(QuorumServers.of(QuorumCluster.options(LONGEST), members), "test", "somebody");
        backend.start(new NoNews(), new TestTime());
        opened.add(backend);
        return backend;
    }

    private static List<String> without(String right) {
        var rest = new ArrayList<>(NEEDED);
        assertThat(rest.remove(right)).isTrue();
        return rest;
    }
}
