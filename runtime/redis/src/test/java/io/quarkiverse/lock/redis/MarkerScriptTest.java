package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FaultDisplayNames;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** The scripts with the marker check, during a grace and after it. */
@DisplayNameGeneration(FaultDisplayNames.class)
class MarkerScriptTest {

    private static final String MARKER = "lock:1:marker";
    private static final long GRACE = 40_000;
    /** As in grace.lua. */
    private static final String FORCED_OUT = "!f";

    private static RedisServer server;
    private static Store store;
    private static String incarnation;

    @BeforeAll
    static void startServer() {
        server = RedisServer.start();
        store = new Store(server);
    }

    @AfterAll
    static void stopServer() {
        store.close();
        server.close();
    }

    @BeforeEach
    void begin() {
        store.redis.command("FLUSHALL");
        incarnation = String.valueOf(run(Script.MARK, List.of(), List.of()).get(0));
    }

    private static List<Object> run(Script script, List<String> args, List<String> known) {
        return runAs("grace", 30_000, script, args, known);
    }

    @SuppressWarnings("unchecked")
    private static List<Object> runAs(String level, long longest, Script script, List<String> args, List<String> known) {
        List<String> keys = script == Script.MARK ? List.of(MARKER) : List.of(Store.KEY, MARKER);
        var words = new ArrayList<>(List.of("EVAL", script.markedText(), "" + keys.size()));
        words.addAll(keys);
        words.addAll(args);
        words.addAll(known);
        words.addAll(List.of(level, "" + longest, "" + GRACE));
        return (List<Object>) store.redis.command(words.toArray(String[]::new));
    }

    private static List<Object> acquire(String claim, String mode, boolean waits) {
        return run(Script.ACQUIRE,
                List.of("60000", "0", claim, mode, mode.equals("L") ? "9" : "0", "", "30000", waits ? "1" : "0",
                        "me"),
                List.of());
    }

    private static List<Object> renew(String claim, long fence, String mode) {
        return renew(claim, fence, mode, incarnation);
    }

    private static List<Object> renew(String claim, long fence, String mode, String meant) {
        return run(Script.RENEW, List.of("60000", "jvm", claim, "30000"),
                List.of(meant, "me", "" + fence, mode, mode.equals("L") ? "9" : "0"));
    }

    private static List<Object> end(Script script, String claim, long fence, String mode) {
        List<String> args = script == Script.RELEASE ? List.of("60000", "0", claim, "0")
                : script == Script.KEEP ? List.of("60000", "0", claim, "20000", "0") : List.of("60000", "0", claim);
        return run(script, args, List.of(incarnation, "me", "", "" + fence, mode, "0", "30000"));
    }

    private static List<Object> force(String newest) {
        return run(Script.FORCE, List.of("60000", "0", newest, "1"), List.of());
    }

    /** By the server's clock. */
    private static void pass(long millis) {
        long from = store.now();
        Await.until("time passes", Duration.ofSeconds(20), () -> store.now() - from > millis);
    }

    private static void endGrace() {
        store.redis.command("HSET", MARKER, "till", "" + (store.now() - 1));
    }

    /** The late request comes over an abandoned connection. */
    @Test
    @Fault(356)
    void fault356_lateLeaseShorteningIsIgnoredDuringGrace() {
        lose(List.of("DEL", Store.KEY));
        shorten("a", "-5000");
        assertThat(left("a")).isLessThanOrEqualTo(5_000);
        shorten("a", "-20000#1");
        assertThat(left("a")).isGreaterThan(5_000);
        shorten("a", "30000#1");
        shorten("a", "-5000");
        assertThat(left("a")).as("late").isGreaterThan(6_000);
        end(Script.RELEASE, "a", 100, "X");
        assertThat(store.hash()).doesNotContainKey("m:a");
    }

    private static void shorten(String claim, String lease) {
        assertThat(run(Script.RENEW, List.of("60000", "jvm", claim, lease), List.of(incarnation, "me", "100", "X", "0"))
                .get(0)).isEqualTo(0L);
    }

    private static long left(String claim) {
        return Long.parseLong(store.part("h:" + claim, 0)) - store.now();
    }

    /** The first request also writes the marker, and each writes a name that the data lacks. */
    @Test
    @Fault(310)
    void fault310_holderRequestsSucceedWithoutMemory() {
        store.withoutMemory(() -> {
            for (List<String> lost : List.of(List.of("DEL", Store.KEY), List.of("DEL", Store.KEY, MARKER))) {
                lose(lost);
                assertThat(renew("a", 100, "X").get(0)).isEqualTo(0L);
                assertThat(store.hash()).containsOnlyKeys("f", "h:a");
                assertThat(renew("a", 100, "X").get(0)).as("again").isEqualTo(0L);
                lose(lost);
                assertThat(end(Script.DOWNGRADE, "a", 100, "X").get(0)).isEqualTo("SHARED");
                lose(lost);
                assertThat(end(Script.KEEP, "a", 100, "X").get(0)).isEqualTo("KEPT");
                lose(lost);
                assertThat(end(Script.RELEASE, "a", 100, "X").get(0)).isEqualTo("RELEASED");
                assertThat(renew("a", 100, "X").get(0)).as("remembered").isEqualTo(-1L);
                lose(lost);
                assertThat(run(Script.FORCE, List.of("60000", "0", "0"), List.of()).get(0)).isEqualTo("FORCED");
                assertThat(renew("a", 100, "X").get(0)).as("remembered").isEqualTo(-1L);
            }
        });
    }

    private static void lose(List<String> keys) {
        store.redis.command(keys.toArray(String[]::new));
    }

    @Test
    @Fault(310)
    void fault310_newClaimsAreNotGrantedWithoutMemory() {
        store.withoutMemory(() -> {
            store.redis.command("DEL", MARKER);
            assertThat((Long) run(Script.MARK, List.of(), List.of()).get(1)).as("a grace").isPositive();
            assertThatThrownBy(() -> acquire("a", "X", true)).hasMessageContaining("OOM");
            store.redis.command("DEL", MARKER);
            assertThat(acquire("a", "X", true).get(0)).as("the script has started the grace").isEqualTo("QUEUED");
            store.redis.command("DEL", MARKER);
            assertThat(acquire("b", "X", false).get(0)).isEqualTo("BUSY");
            assertThat(store.hash()).containsOnlyKeys("w:a");
        });
    }

    @Test
    void firstScriptStartsGraceThatGrantsNothing() {
        List<Object> reply = acquire("a", "X", true);
        assertThat(reply.get(0)).isEqualTo("QUEUED");
        assertThat((Long) reply.get(3)).as("when to ask again").isBetween(GRACE - 15_000, GRACE);
        assertThat((Long) reply.get(6)).isBetween(GRACE - 15_000, GRACE);
        assertThat(acquire("b", "X", false).get(0)).isEqualTo("BUSY");
        assertThat(store.hash()).containsOnlyKeys("w:a");
        endGrace();
        assertThat(acquire("a", "X", true).get(0)).isEqualTo("GRANTED");
    }

    @Test
    @Fault(235)
    void fault235_scriptsWorkNormallyAfterGrace() {
        endGrace();
        assertThat(acquire("a", "X", true)).hasSize(3);
        assertThat(acquire("b", "X", true)).hasSize(6);
        assertThat(end(Script.RELEASE, "a", 1, "X")).containsExactly("RELEASED", 0L);
        assertThat(store.hash()).containsKey("h:b");
        assertThat(renew("a", Long.parseLong(store.field("f")) + 1, "X").get(0)).as("no reclaim").isEqualTo(-1L);
    }

    @Test
    @Fault(233)
    void fault233_restartOrPromotionStartsGrace() {
        endGrace();
        store.redis.command("HSET", MARKER, "inc", "another");
        assertThat(acquire("a", "X", true).get(0)).isEqualTo("QUEUED");
        endGrace();
        try (RedisServer master = RedisServer.start()) {
            store.redis.command("REPLICAOF", master.host(), "" + master.port());
            store.redis.command("REPLICAOF", "NO", "ONE");
        }
        assertThat(acquire("a", "X", true).get(0)).as("the same process, promoted").isEqualTo("QUEUED");
    }

    @Test
    void clockSetBackDoesNotProlongGrace() {
        store.redis.command("HSET", MARKER, "till", "" + (store.now() + 100_000_000));
        assertThat((Long) acquire("a", "X", true).get(6)).isLessThanOrEqualTo(GRACE);
        endGrace();
        assertThat(acquire("a", "X", true).get(0)).isEqualTo("GRANTED");
    }

    @Test
    void mismatchedFailoverSettingsAreRejected() {
        for (String level : List.of("grace", "other")) {
            assertThatThrownBy(() -> runAs(level, 5_000, Script.ACQUIRE,
                    List.of("60000", "0", "a", "X", "0", "", "5000", "1", "me"), List.of()))
                    .isInstanceOf(TinyRedis.ErrorReply.class).hasMessage("LEVEL grace 30000");
        }
    }

    @Test
    void renewalRestoresHoldWithItsFence() {
        long fence = (store.now() - 5_000) * 1000;
        assertThat(renew("a", fence, "X").subList(0, 1)).containsExactly(0L);
        assertThat(store.hash()).containsOnlyKeys("f", "h:a");
        assertThat(store.field("f")).isEqualTo("" + fence);
        assertThat(store.field("h:a")).endsWith("|X|0|jvm|" + fence + "|" + fence / 1000 + "|me");
        assertThat(renew("a", fence, "X").get(0)).as("again").isEqualTo(0L);
        assertThat(acquire("b", "X", true).subList(0, 3)).containsExactly("QUEUED", "" + fence, 1L);
        assertThat(renew("a", fence, "X").get(0)).isEqualTo(1L);
        endGrace();
        assertThat(renew("a", fence, "X").get(0)).as("an ordinary hold").isEqualTo(1L);
        end(Script.RELEASE, "a", fence, "X");
        assertThat(Long.parseLong(store.field("f"))).isGreaterThan(fence);
        assertThat(store.hash()).containsKey("h:b");
    }

    @Test
    void reclaimWithGreaterFenceWins() {
        renew("old", 100, "X");
        assertThat(renew("new", 200, "X").get(0)).isEqualTo(0L);
        assertThat(store.hash()).containsOnlyKeys("f", "h:new");
        assertThat(renew("old", 100, "X").get(0)).isEqualTo(-1L);
        assertThat(renew("reader", 150, "S").get(0)).isEqualTo(-1L);
        assertThat(renew("reader", 250, "S").get(0)).isEqualTo(0L);
        assertThat(store.hash()).containsOnlyKeys("f", "h:reader");
    }

    @Test
    void readersReclaimInAnyOrder() {
        for (long fence : new long[] { 200, 300, 100 }) {
            assertThat(renew("r" + fence, fence, "S").get(0)).isEqualTo(0L);
            assertThat(renew("r" + fence, fence, "S").get(0)).isEqualTo(0L);
        }
        assertThat(store.hash()).containsOnlyKeys("f", "h:r100", "h:r200", "h:r300");
        assertThat(store.field("f")).isEqualTo("300");
        endGrace();
        assertThat(acquire("writer", "X", false).get(0)).isEqualTo("BUSY");
        for (long fence : new long[] { 100, 300, 200 }) {
            assertThat(end(Script.RELEASE, "r" + fence, fence, "S").get(0)).isEqualTo("RELEASED");
        }
        assertThat(acquire("writer", "X", false).get(0)).isEqualTo("GRANTED");
    }

    @Test
    void expiredOrStaleHoldCannotBeReclaimed() {
        assertThat(renew("a", -1, "X").get(0)).isEqualTo(-1L);
        assertThatThrownBy(() -> renew("a", 100, "X", "before")).hasMessage("INCARNATION " + incarnation);
        assertThat(store.redis.keys("*test:name*")).isEmpty();
    }

    @Test
    void holdReleasedDuringGraceCannotBeReclaimed() {
        assertThat(end(Script.RELEASE, "a", 100, "X").get(0)).isEqualTo("RELEASED");
        assertThat(renew("a", 100, "X").get(0)).isEqualTo(-1L);
        assertThat(end(Script.RELEASE, "a", 100, "X").get(0)).isEqualTo("ABSENT");
    }

    /** The holds are reclaimed after the forced release was requested, when the data had no fence yet. */
    @Test
    @Fault(456)
    void fault456_forcedReleaseDuringGraceRemovesAllHolders() {
        renew("a", 100, "S");
        renew("b", 200, "S");
        assertThat(run(Script.FORCE, List.of("60000", "0", "0"), List.of()).subList(0, 2)).containsExactly("FORCED", 2L);
        assertThat(store.hash().keySet()).noneMatch(field -> field.startsWith("h:"));
    }

    @Test
    void forciblyReleasedHolderCannotReclaim() {
        renew("a", 100, "X");
        run(Script.FORCE, List.of("60000", "0", "0"), List.of());
        assertThat(renew("a", 100, "X").get(0)).isEqualTo(-1L);
        assertThat(renew("b", 100, "S").get(0)).isEqualTo(-1L);
    }

    @Test
    void holderForciblyReleasedBeforeItsFirstRequestCannotReclaim() {
        run(Script.FORCE, List.of("60000", "0", "0"), List.of());
        assertThat(renew("a", 100, "X").get(0)).isEqualTo(-1L);
        assertThat(renew("b", 100, "S").get(0)).isEqualTo(-1L);
    }

    /** The holder receives no messages, and the server restarts with all its data before the lease ends. */
    @ParameterizedTest
    @ValueSource(strings = { "S", "L" })
    @Fault(459)
    void fault459_holderForciblyReleasedBeforeGraceCannotReclaim(String mode) {
        endGrace();
        long fence = Long.parseLong((String) acquire("a", mode, false).get(1));
        long later = Long.parseLong((String) acquire("b", mode, false).get(1));
        assertThat(force("" + fence).subList(0, 2)).containsExactly("FORCED", 1L);
        assertThat(force("" + later).subList(0, 2)).containsExactly("FORCED", 1L);
        long writer = Long.parseLong((String) acquire("writer", "X", false).get(1));
        assertThat(end(Script.RELEASE, "writer", writer, "X").get(0)).isEqualTo("RELEASED");
        long next = Long.parseLong((String) acquire("c", mode, false).get(1));
        store.redis.command("HDEL", Store.KEY, "h:c");
        store.redis.command("HSET", MARKER, "inc", "another");

        assertThat(renew("a", fence, mode).get(0)).isEqualTo(-1L);
        assertThat(renew("b", later, mode).get(0)).isEqualTo(-1L);

        assertThat(renew("c", next, mode).get(0)).as("later holder").isEqualTo(0L);
    }

    /** Its downgrade arrives late. */
    @Test
    @Fault(459)
    void fault459_forciblyReleasedWriterCannotReclaimByDowngrade() {
        endGrace();
        long fence = Long.parseLong((String) acquire("a", "X", false).get(1));
        force("" + fence);
        store.redis.command("HSET", MARKER, "inc", "another");

        assertThat(end(Script.DOWNGRADE, "a", fence, "S").get(0)).isEqualTo("ABSENT");
    }

    /** The server restarts a second time. */
    @Test
    @Fault(459)
    void fault459_holderForciblyReleasedInGraceCannotReclaimInNext() {
        renew("a", 100, "S");
        assertThat(force("0").subList(0, 2)).containsExactly("FORCED", 1L);
        endGrace();
        store.redis.command("HSET", Store.KEY, "x:!", "" + (store.now() - 1));
        store.redis.command("HSET", MARKER, "inc", "another");

        assertThat(renew("a", 100, "S").get(0)).isEqualTo(-1L);
    }

    /** The reply with its grant was lost, so it may still wait. */
    @Test
    void forciblyReleasedHolderMayAcquireAgainAndLeavesNothing() {
        endGrace();
        String fence = (String) acquire("a", "X", true).get(1);
        force(fence);
        assertThat(acquire("a", "X", true).get(0)).isEqualTo("GRANTED");
        store.end("x:" + FORCED_OUT, store.now() - 1);
        end(Script.RELEASE, "a", 1, "X");
        assertThat(store.fields()).containsOnlyKeys("f");
    }

    /** For the whole grace, regardless of the retention and of how far ahead the clock of the fence was. */
    @Test
    void forcedReleaseIsRememberedForWholeGrace() {
        run(Script.FORCE, List.of("100", "0", "0"), List.of());
        pass(200);
        assertThat(renew("a", (store.now() - 5_000) * 1000, "X").get(0)).isEqualTo(-1L);
        assertThat(renew("b", (store.now() + 5_000) * 1000, "X").get(0)).isEqualTo(-1L);
        assertThat(renew("c", (store.now() + 5_000) * 1000, "S").get(0)).isEqualTo(-1L);
        endGrace();
        assertThat(acquire("d", "X", false).get(0)).isEqualTo("GRANTED");
    }

    @Test
    void readersReclaimWithFencesAheadOfClock() {
        long fence = (store.now() + 5_000) * 1000;
        assertThat(renew("a", fence + 1, "S").get(0)).isEqualTo(0L);
        assertThat(renew("b", fence, "S").get(0)).isEqualTo(0L);
    }

    @Test
    void renewalRestoresLostDowngrade() {
        endGrace();
        long fence = Long.parseLong((String) acquire("a", "X", true).get(1));
        store.redis.command("HSET", MARKER, "inc", "another");
        assertThat(renew("a", fence, "S").get(0)).isEqualTo(0L);
        assertThat(renew("b", fence + 1, "S").get(0)).isEqualTo(0L);
        assertThat(store.hash()).containsKeys("h:a", "h:b");
        endGrace();
        assertThat(acquire("c", "S", false).get(0)).isEqualTo("GRANTED");
    }

    @Test
    void nameKeptDuringGraceCannotBeReclaimed() {
        assertThat(run(Script.KEEP, List.of("60000", "0", "a", "50", "0"),
                List.of(incarnation, "me", "", "100", "X", "0", "30000")).get(0)).isEqualTo("KEPT");
        pass(100);
        assertThat(renew("a", 100, "X").get(0)).isEqualTo(-1L);
    }

    @Test
    @SuppressWarnings("unchecked")
    void knownFormerMasterProlongsGrace() {
        List<Object> longer = (List<Object>) store.redis.command("EVAL", Script.MARK.markedText(), "1", MARKER, "grace",
                "30000",
                "" + (GRACE + 12_000));
        assertThat((Long) longer.get(1)).isBetween(GRACE, GRACE + 12_000);
        assertThat((Long) run(Script.MARK, List.of(), List.of()).get(1)).isGreaterThan(GRACE - 15_000 + 12_000);
    }

    @Test
    void keptNameStaysTakenAfterDataLoss() {
        assertThat(end(Script.KEEP, "a", 100, "X").get(0)).isEqualTo("KEPT");
        endGrace();
        assertThat(acquire("b", "X", false).get(0)).isEqualTo("BUSY");
    }

    @Test
    void downgradedWriterKeepsLockAfterGrace() {
        assertThat(end(Script.DOWNGRADE, "a", 100, "S").get(0)).isEqualTo("SHARED");
        endGrace();
        assertThat(acquire("b", "S", false).get(0)).isEqualTo("GRANTED");
        assertThat(acquire("c", "X", false).get(0)).isEqualTo("BUSY");
    }

    @Test
    void waitersKeepTheirPlaceUnlessGrantedByFormerMaster() {
        endGrace();
        acquire("a", "X", true);
        acquire("b", "X", true);
        acquire("c", "X", true);
        String before = store.part("w:b", 0);
        store.redis.command("HSET", MARKER, "inc", "another");
        assertThat(acquire("c", "X", true).get(0)).isEqualTo("QUEUED");
        assertThat(end(Script.RELEASE, "a", 100, "X").get(0)).isEqualTo("RELEASED");
        assertThat(store.part("w:b", 0)).isEqualTo(before);
        // Granted by the former master and missing in this data
        long fence = Long.parseLong(store.field("f")) + 1;
        assertThat(renew("b", fence, "X").get(0)).isEqualTo(1L);
        assertThat(store.hash().keySet()).contains("h:b", "w:c").doesNotContain("w:b", "h:a");
    }

    @Test
    void grantWithLostReplyIsNotConfirmedDuringGrace() {
        endGrace();
        acquire("a", "X", true);
        store.redis.command("HSET", MARKER, "inc", "another");
        assertThat(acquire("a", "X", true).get(0)).isEqualTo("QUEUED");
        assertThat(store.hash()).containsOnlyKeys("f", "h:a");
        assertThat(acquire("a", "X", false).get(0)).isEqualTo("BUSY");
        assertThat(store.hash()).as("a claim that does not wait leaves nothing").doesNotContainKey("h:a");
    }

    @Test
    void multiLockIsNotGrantedDuringGrace() {
        List<String> args = List.of("60000", "0", "X", "0", "", "30000", "me", "a");
        assertThat(run(Script.TOGETHER, args, List.of()).get(0)).isEqualTo("BUSY");
        endGrace();
        assertThat(run(Script.TOGETHER, args, List.of()).get(0)).isEqualTo("GRANTED");
    }
}
