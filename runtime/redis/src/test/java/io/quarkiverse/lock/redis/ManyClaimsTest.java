package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** Many holders or waiters of one name: the data derived from their records, and that no script reads them all. */
class ManyClaimsTest extends RedisTest {

    private static final String CHANNEL = "jvm";
    private static final Pattern WORD = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"");

    // --- cost

    @Test
    @Fault(187)
    void fault187_handOffCostDoesNotGrowWithWaiters() {
        try (JvmChannel jvm = new JvmChannel(server, CHANNEL)) {
            int few = handOn(3);
            assertThat(handOn(300)).as("words that the scripts send to Redis").isEqualTo(few);
        }
    }

    private int handOn(int waiting) {
        store.redis.command("DEL", Store.KEY);
        for (int i = 0; i <= waiting; i++) {
            store.acquire("c" + i, "X", 0, CHANNEL, true);
        }
        store.acquire("c1", "X", 0, CHANNEL, true); // otherwise it may be skipped as dead
        return words(() -> {
            assertThat(store.release("c0").get(0)).isEqualTo("RELEASED");
            assertThat(store.acquire("c0", "X", 0, CHANNEL, true).get(0)).isEqualTo("QUEUED");
        });
    }

    @Test
    @Fault(187)
    void fault187_pollAndWithdrawalCostDoNotGrowWithQueue() {
        for (String mode : List.of("X", "S")) {
            store.redis.command("DEL", Store.KEY);
            store.acquire("a", mode, 0, "", true);
            for (int i = 0; i < 3; i++) {
                store.acquire("c" + i, true);
            }
            int few = wordsToAskAgain("c1");
            for (int i = 3; i < 300; i++) {
                store.acquire("c" + i, true);
                if (i % 10 == 0) {
                    firstAsksAgain();
                }
            }
            assertThat(wordsToAskAgain("c150")).isEqualTo(few);
            int first = wordsToGiveUp("c7");
            assertThat(wordsToGiveUp("c250")).as("withdrawal").isEqualTo(first);
        }
    }

    @Test
    @Fault(187)
    void fault187_readerCostDoesNotGrowWithOtherReaders() {
        store.acquire("r0", "S", 0, "", true);
        store.acquire("r1", "S", 0, "", true);
        int second = words(() -> store.acquire("r2", "S", 0, "", true));
        for (int i = 3; i < 400; i++) {
            store.acquire("r" + i, "S", 0, "", true);
        }
        assertThat(words(() -> store.acquire("one more", "S", 0, "", true))).isLessThan(2 * second);
        assertThat(words(() -> store.release("one more"))).isLessThan(2 * second);
        assertThat(words(() -> store.release("r0"))).as("the first of the heap").isLessThan(6 * second);
    }

    /** Otherwise it would count as dead after some seconds, and the next claim would remove it. */
    private void firstAsksAgain() {
        store.acquire("c0", true);
    }

    /** A poll notifies the holder at most once a second; here it always does. */
    private int wordsToAskAgain(String claim) {
        firstAsksAgain();
        store.forgetHints();
        return words(() -> store.acquire(claim, true));
    }

    private int wordsToGiveUp(String claim) {
        firstAsksAgain();
        return words(() -> store.release(claim));
    }

    /** Counts the words that the scripts send to Redis; no command may read the whole hash. */
    private int words(Runnable action) {
        try (TinyRedis monitor = server.connect()) {
            monitor.command("MONITOR");
            action.run();
            store.redis.command("PING", "that is all");
            int words = 0;
            for (String line = monitor.read().toString(); !line.contains("that is all"); line = monitor.read().toString()) {
                if (line.contains(" lua]")) {
                    assertThat(line).doesNotContainIgnoringCase("hgetall");
                    words += (int) WORD.matcher(line).results().count();
                }
            }
            return words;
        }
    }

    // --- expiry

    @Test
    @Fault(188)
    void fault188_shortenedLeaseEndsAtItsNewDeadline() {
        for (int i = 0; i < 30; i++) {
            store.acquire("l" + i, "L", 30, "", true);
        }
        assertThat(store.renew("l17", -300)).isZero();
        long end = Long.parseLong(store.part("h:l17", 0));
        assertThat(store.acquire("x", "L", 30, "", true).get(0)).isEqualTo("QUEUED");
        Await.until("it is over", SOON, () -> store.now() > end);
        assertThat(store.acquire("x", "L", 30, "", true).get(0)).isEqualTo("GRANTED");
        assertThat(store.hash()).doesNotContainKey("h:l17").hasSize(31);
    }

    @Test
    @Fault(188)
    void fault188_renewedHolderIsNotDroppedAtItsOldDeadline() {
        List<String> ended = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            store.eval(Script.ACQUIRE, List.of(Store.KEY),
                    List.of("60000", "0", "l" + i, "L", "10", "", i % 2 == 0 ? "300" : "30000", "0", "me"));
        }
        for (int i = 0; i < 10; i += 4) {
            store.renew("l" + i);
        }
        long bound = store.now() + 300;
        Await.until("the bounds are over", SOON, () -> store.now() > bound);
        for (int i = 0; i < 4; i++) {
            ended.add((String) store.acquire("more" + i, "L", 10, "", false).get(0));
        }
        assertThat(ended).containsExactly("GRANTED", "GRANTED", "BUSY", "BUSY");
        assertThat(store.hash()).containsKeys("h:l0", "h:l4", "h:l8").doesNotContainKeys("h:l2", "h:l6");
    }

    // --- healing

    @Test
    @Fault(189)
    void fault189_lostDerivedDataIsRebuilt() {
        for (List<String> harm : List.of(List.of("HSET", "v", "2|"), List.of("HDEL", "v"), List.of("HDEL", "v", "e"),
                List.of("HDEL", "p:3", "i:r4"), List.of("HDEL", "p:2", "p:3", "p:4", "p:5", "p:6"),
                List.of("HDEL", "a:w", "b:r8", "a:r8"))) {
            store.redis.command("DEL", Store.KEY);
            for (int i = 0; i < 6; i++) {
                store.acquire("r" + i, "S", 0, "", true);
            }
            store.acquire("w", true);
            store.acquire("r8", "S", 0, "", true);
            store.acquire("w2", true);
            var words = new ArrayList<>(List.of(harm.get(0), Store.KEY));
            words.addAll(harm.subList(1, harm.size()));
            store.redis.command(words.toArray(String[]::new));
            for (int i = 0; i < 6; i++) {
                assertThat(store.acquire("w", true).get(0)).as("%s", harm).isEqualTo("QUEUED");
                assertThat(store.release("r" + i).get(0)).isEqualTo("RELEASED");
            }
            assertThat(store.hash()).as("%s", harm).containsOnlyKeys("f", "h:w", "w:r8", "w:w2");
            assertThat(store.release("w")).containsExactly("RELEASED", 1L);
            assertThat(store.release("r8")).containsExactly("RELEASED", 0L);
            assertThat(store.release("w2")).containsExactly("RELEASED", 0L);
            assertThat(store.fields()).containsOnlyKeys("f");
        }
    }

    @Test
    @Fault(189)
    void fault189_lossOfLatestExpiryLosesNoHold() {
        for (int i = 0; i < 3; i++) {
            store.acquire("r" + i, "S", 0, "", true);
        }
        store.redis.command("HDEL", Store.KEY, "e");
        assertThat(store.release("r0").get(0)).isEqualTo("RELEASED");
        assertThat(store.hash()).containsOnlyKeys("f", "h:r1", "h:r2");
    }

    // --- formats

    @Test
    @Fault(190)
    void fault190_olderFormatIsRejectedUnchanged() {
        long later = store.now() + 60_000;
        store.redis.command("HSET", Store.KEY, "f", "7", "h:a", later + "|X|0||7|1|me", "w:b", "8|X|0||" + later + "|30000|me",
                "n", "8", "q", "1", "e", "" + later);
        Map<String, String> before = store.fields();
        for (List<Object> reply : List.of(store.acquire("c", true), store.release("a"), store.release("b", 1_000),
                store.keep("a", 1_000), store.force(), store.ask(), store.inspect(), store.downgrade("a"))) {
            assertThat(reply).containsExactly("FORMAT", "1");
        }
        assertThat(store.fields()).isEqualTo(before);
        assertThatThrownBy(() -> jvm().grant("name")).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("has format 1, but this application knows only format 2")
                .hasMessageContaining("An older version");
    }

    @Test
    @Fault(190)
    void fault190_fenceAndHoldOfOlderFormatAreAdopted() {
        store.redis.command("HSET", Store.KEY, "f", "8999999999999990");
        assertThat(store.acquire("a", true).get(1)).isEqualTo("8999999999999991");
        store.redis.command("DEL", Store.KEY);
        store.redis.command("HSET", Store.KEY, "f", "7", "h:a", store.now() + 60_000 + "|X|0||7|1|me");
        assertThat(store.acquire("b", true).subList(0, 3)).containsExactly("QUEUED", "7", 1L);
        assertThat(store.field("v")).as("rejected by older scripts").startsWith("2|");
        assertThat(store.renew("a")).isEqualTo(1);
        assertThat(store.release("a").get(0)).isEqualTo("RELEASED");
    }

    /** Older versions rely on field e when they renew. */
    @Test
    @Fault(190)
    void fault190_renewalUpdatesExpiryThatOlderVersionsUse() {
        long soon = store.now() + 1_000;
        store.redis.command("HSET", Store.KEY, "f", "7", "h:a", soon + "|S|0||6|1|me", "h:b", soon + "|S|0||7|1|me", "q", "0",
                "e", "" + soon);
        store.renew("b", 600_000);
        assertThat(store.field("e")).isEqualTo(store.part("h:b", 0));
    }

    // --- leftovers

    @Test
    @Fault(187)
    void fault187_notesOfFormerWaitersAreRemoved() {
        store.acquire("c0", true);
        for (int i = 1; i < 200; i++) {
            store.acquire("c" + i, true);
            assertThat(store.eval(Script.NOTE, List.of(Store.KEY, "notes"),
                    List.of("60000", "0", "c" + i, "note", "60000"))).containsExactly("NOTED", 1L);
            store.release("c" + (i - 1));
        }
        assertThat(store.redis.number("HLEN", "notes")).isLessThan(20);
    }

    @Test
    @Fault(187)
    void fault187_keyExpiresAfterForcedReleaseOfManyReaders() {
        for (int i = 0; i < 1_000; i++) {
            store.acquire("r" + i, "S", 0, "", true);
        }
        assertThat(store.eval(Script.FORCE, List.of(Store.KEY), List.of("1", "0", store.field("f")))).containsExactly("FORCED",
                1_000L);
        assertThat(store.redis.number("PTTL", Store.KEY)).isNotEqualTo(-1);
    }

    // --- hints

    @Test
    @Fault(191)
    void fault191_holderHintsDoNotGrowWithWaiters() {
        for (String mode : List.of("X", "S")) {
            store.redis.command("DEL", Store.KEY);
            try (JvmChannel jvm = new JvmChannel(server, CHANNEL)) {
                store.acquire("a", mode, 0, CHANNEL, true);
                long from = store.now();
                for (int i = 0; i < 100; i++) {
                    store.acquire("c" + i % 50, true);
                }
                long rounds = (store.now() - from) / 800;
                store.redis.command("PUBLISH", CHANNEL, "end");
                int told = 0;
                while (jvm.message().startsWith("R|a|")) {
                    told++;
                }
                assertThat((long) told).isBetween(1L, 1 + rounds);
            }
        }
    }

    @Test
    @Fault(191)
    void fault191_lostHintIsSentAgain() {
        try (JvmChannel jvm = new JvmChannel(server, CHANNEL)) {
            for (String mode : List.of("X", "S")) {
                store.redis.command("DEL", Store.KEY);
                store.acquire("a", mode, 0, CHANNEL, true);
                store.acquire("b", true);
                assertThat(jvm.message()).startsWith("R|a|");
                store.forgetHints();
                store.acquire("b", true);
                assertThat(jvm.message()).startsWith("R|a|");
            }
        }
    }

    // --- memory

    @Test
    @Fault(192)
    void fault192_outOfMemoryRefusalChangesNothing() {
        for (String mode : List.of("X", "S")) {
            store.redis.command("DEL", Store.KEY);
            store.acquire("a", mode, 0, "", true);
            store.acquire("b", mode, 0, "", true);
            store.acquire("w", true);
            Map<String, String> before = store.fields();
            store.withoutMemory(() -> {
                assertThatThrownBy(() -> store.acquire("c", true)).hasMessageContaining("OOM");
                assertThat(store.fields()).isEqualTo(before);
                assertThat(store.release("a", 60_000).get(0)).isEqualTo("RELEASED");
                assertThat(store.release("b").get(0)).isEqualTo("RELEASED");
                assertThat(store.hash()).containsKey("h:w");
            });
        }
    }
}
