package io.quarkiverse.lock.redis.quorum;

import static io.quarkiverse.lock.redis.quorum.QuorumCluster.MARKER;
import static io.quarkiverse.lock.redis.quorum.QuorumCluster.command;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FaultDisplayNames;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** What a server of a quorum knows about its own restarts, and what it tells clients. */
@DisplayNameGeneration(FaultDisplayNames.class)
class QuorumLifeTest {

    private static final Duration LONGEST = Duration.ofSeconds(30);
    /** How long a server sits out with this longest lease, in ms. */
    private static final long LENGTH = 31_501;
    /** What is left of it on a slow machine. */
    private static final long LEAST = 25_000;
    private static final Duration SHORT = Duration.ofSeconds(2);
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final long DAY = Duration.ofDays(1).toMillis();
    private static final String KEY = "lock:q1:{test:name}";

    private QuorumCluster cluster;
    private TinyRedis redis;

    @BeforeEach
    void start() {
        cluster = new QuorumCluster(1);
        redis = cluster.server(0).connect();
    }

    @AfterEach
    void stop() {
        redis.close();
        cluster.close();
    }

    private List<String> begin(String longest) {
        return redis.list(command(Script.QUORUM_BEGIN, List.of(MARKER), longest));
    }

    /** @return how long the server sits out, in ms */
    private long sitsOut(String longest) {
        List<String> reply = begin(longest);
        assertThat(reply.get(0)).isEqualTo("OUT");
        return Long.parseLong(reply.get(1));
    }

    private String life() {
        return redis.info("run_id") + ":" + redis.info("master_replid");
    }

    private long now() {
        return Long.parseLong(redis.list("TIME").get(0)) * 1000;
    }

    /** After a restart, an application with different settings is the first client of the server. */
    @Test
    @Fault(339)
    void fault339_agreedLongestLeaseSurvivesRestart() {
        redis.command("SET", MARKER, "another:life 0 30000");

        assertThat(begin("20000")).containsExactly("LONGEST", "30000");

        assertThat(sitsOut("30000")).isBetween(LEAST, LENGTH);
        assertThat(begin("20000")).containsExactly("LONGEST", "30000");
    }

    @Test
    @Fault(339)
    void fault339_serverSitsOutLongerAfterRefusingLongerLease() {
        redis.command("SET", MARKER, "another:life 0 30000");

        assertThat(begin("60000")).containsExactly("LONGEST", "30000");

        assertThat(sitsOut("30000")).isBetween(LENGTH + LEAST, 63_001L);
    }

    @Test
    @Fault(339)
    void fault339_clientRefusedByMajorityDoesNotInitializeServer() {
        assertThat(begin("60000 30000")).containsExactly("LONGEST", "30000");
        assertThat(redis.number("EXISTS", MARKER)).isZero();

        assertThat(sitsOut("60000")).as("for another client").isPositive();
        assertThat(sitsOut("60000 30000")).as("if others agree with it").isPositive();
    }

    /** All servers lose their data, and the application they refused is their first client afterwards. */
    @Test
    @Fault(339)
    void fault339_clientRefusedByMajorityDoesNotInitializeEmptyServers() {
        try (var three = new QuorumCluster(3).satOut(SHORT);
                var fleet = new QuorumJvm(three, SHORT, SHORT, "fleet");
                var stray = new QuorumJvm(three, LONGEST, SHORT, "stray")) {
            Await.until("a majority refuses it", SOON,
                    () -> answer(stray).matches(".*have to: one has learnt [^;]* from others[^;]*"));
            for (RedisServer server : three.servers()) {
                try (TinyRedis there = server.connect()) {
                    there.command("FLUSHALL");
                }
            }

            Await.until("it is refused still", SOON, () -> answer(stray).contains("longest-lease=2000ms"));
            Await.until("the others begin, and are granted locks", SOON, () -> answer(fleet).equals("granted"));
        }
    }

    private static String answer(QuorumJvm jvm) {
        try (LockHandle held = jvm.lock("name").tryAcquire(Duration.ZERO).orElse(null)) {
            return held == null ? "busy" : "granted";
        } catch (LockException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    @Fault(340)
    void fault340_clockSetBackDoesNotProlongSittingOut() {
        for (String rest : List.of("30000", "30000 31501")) {
            redis.command("SET", MARKER, life() + " " + (now() + DAY) + " " + rest);

            assertThat(sitsOut("30000")).isBetween(LEAST, LENGTH);

            String marker = redis.text("GET", MARKER);
            assertThat(sitsOut("30000")).as("it does not start again").isBetween(0L, LENGTH);
            assertThat(redis.text("GET", MARKER)).isEqualTo(marker);
        }
    }

    @Test
    @Fault(340)
    void fault340_clockSetBackDoesNotProlongPrecedence() {
        QuorumCluster.satOut(cluster.server(0), LONGEST);
        redis.command("HSET", KEY, "n", "other|c|somebody", "u", String.valueOf(now() + DAY));

        assertThat(redis.list(command(Script.QUORUM_ASK, List.of(KEY, KEY + ":w", KEY + ":a", MARKER), "60000", "30000", "a",
                "1", "20000", "1", "c", "0", "somebody")).get(0)).isEqualTo("YES");
    }
}
