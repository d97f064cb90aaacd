package io.quarkiverse.lock.redis.quorum;

import static io.quarkiverse.lock.redis.quorum.QuorumCluster.command;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FaultDisplayNames;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** What a server of a quorum does when its memory is full. */
@DisplayNameGeneration(FaultDisplayNames.class)
class QuorumMemoryTest {

    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final String KEY = "lock:q1:{test:name}";
    private static final String LINE = KEY + ":w";

    private QuorumCluster cluster;
    private TinyRedis redis;

    @BeforeEach
    void start() {
        cluster = new QuorumCluster(1).satOut(LONGEST);
        redis = cluster.server(0).connect();
    }

    @AfterEach
    void stop() {
        redis.close();
        cluster.close();
    }

    private void memory(boolean full) {
        redis.command("CONFIG", "SET", "maxmemory", full ? "1" : "0");
    }

    /** @return the first word of the answer */
    private String ask(String claim, int attempt) {
        return redis.list(command(Script.QUORUM_ASK, List.of(KEY, LINE, KEY + ":" + claim, QuorumCluster.MARKER), "60000",
                String.valueOf(LONGEST.toMillis()), claim, "" + attempt, "20000", "1", "c", "1", "somebody")).get(0);
    }

    private long free(String claim, int attempt, String tombstoneMillis, String priority) {
        return redis.number(command(Script.QUORUM_FREE, List.of(KEY, LINE, KEY + ":" + claim), "60000", claim, "" + attempt,
                tombstoneMillis, "c|somebody", priority, "0"));
    }

    private String reservedBy() {
        return redis.text("HGET", KEY, "t");
    }

    /** Otherwise simultaneous callers would block each other for as long as they wait. */
    @Test
    @Fault(311)
    void fault311_waiterReleasesReservationWithoutMemory() {
        assertThat(ask("a", 1)).isEqualTo("YES");
        memory(true);
        assertThatThrownBy(() -> ask("b", 1)).hasMessageContaining("OOM");

        assertThat(free("a", 1, "0", "1")).isOne();

        assertThat(reservedBy()).isNull();
        assertThat(redis.list("ZRANGE", LINE, "0", "-1")).as("its place").containsExactly("a|c|somebody");
    }

    @Test
    @Fault(311)
    void fault311_lateClaimIsWithdrawnWithoutMemory() {
        assertThat(ask("a", 1)).isEqualTo("YES");
        memory(true);

        assertThat(free("a", 1, "60000", "")).isOne();

        assertThat(reservedBy()).isNull();
        memory(false);
        assertThat(ask("a", 1)).as("late request").isEqualTo("GONE");
        assertThat(ask("b", 1)).isEqualTo("YES");
    }

    @Test
    @Fault(341)
    void fault341_freeNameIsNotGrantedWithoutMemory() {
        memory(true);

        assertThatThrownBy(() -> ask("a", 1)).hasMessageContaining("OOM");

        assertThat(reservedBy()).isNull();
        memory(false);
        assertThat(ask("a", 1)).isEqualTo("YES");
    }

    @Test
    @Fault(308)
    void fault308_holderIsAskedToReleaseWithoutMemory() {
        assertThat(ask("a", 1)).isEqualTo("YES");
        assertThat(redis.number(command(Script.QUORUM_WRITE, List.of(KEY, LINE), "60000", "a", "1", "5"))).isOne();
        memory(true);

        assertThat(redis.list(command(Script.QUORUM_REQUEST, List.of(KEY, LINE), "60000"))).endsWith("a", "5");

        assertThat(redis.list(command(Script.QUORUM_RENEW, List.of(KEY), "60000", "c", "a", "20000", "1")).get(0))
                .as("reply to its renewal").isEqualTo("3");
    }
}
