package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.lock.redis.operation.GrantRenewals;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.RedisServer;

/** What each script does to the hash of a name. */
class ScriptTest {

    /** The time that may pass between two lines on a busy machine; less than the difference between two leases. */
    private static final long PAUSE = 15_000;

    static RedisServer server;
    Store store;

    @BeforeAll
    static void startServer() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void openStore() {
        store = new Store(server);
        store.redis.command("FLUSHALL");
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    @Test
    void grantOfFreeNameStoresOnlyFenceAndHolder() {
        List<Object> reply = store.acquire("a", false);
        assertThat(reply.get(0)).isEqualTo("GRANTED");
        assertThat(store.hash()).containsOnlyKeys("f", "h:a");
        assertThat(store.part("h:a", 6)).isEqualTo("owner of a");
        assertThat(reply.get(1)).isEqualTo(store.field("f"));
        assertThat(store.ttl()).isBetween(Store.LEASE + Store.RETENTION - PAUSE, Store.LEASE + Store.RETENTION);
    }

    @Test
    void fenceIsServerClockInMicroseconds() {
        long before = store.now() * 1000;
        store.acquire("a", false);
        assertThat(store.fence()).isBetween(before, (store.now() + 1) * 1000);
        assertThat(store.field("f")).matches("\\d{16}");
    }

    @Test
    @Fault(20)
    void fault20_fenceIncreasesWhenClockIsBehind() {
        store.redis.command("HSET", Store.KEY, "f", "8999999999999990");
        assertThat(store.acquire("a", false).get(1)).isEqualTo("8999999999999991");
        store.release("a");
        assertThat(store.acquire("b", false).get(1)).isEqualTo("8999999999999992");
    }

    /** A clock that was set back by an hour leaves a fence that is an hour ahead. */
    @Test
    @Fault(362)
    void fault362_fenceIsKeptUntilClockHasPassedIt() {
        long hour = 3_600_000;
        store.redis.command("HSET", Store.KEY, "f", (store.now() + hour) + "000");
        List<Runnable> steps = List.of(
                () -> store.acquire("a", false), () -> store.renew("a"), () -> store.release("a"),
                () -> store.acquire("a", false), () -> store.acquire("b", true), () -> store.acquire("b", true),
                () -> store.acquire("c", true), () -> store.renew("a"), () -> store.release("a"), () -> store.renew("b"),
                () -> store.release("b"), () -> store.release("c"), () -> store.release("d", 1_000),
                () -> store.acquire("a", "S", 0, "", false), () -> store.acquire("b", "S", 0, "", false),
                () -> store.release("a"), () -> store.keep("b", 10), () -> store.force());
        for (int i = 0; i < steps.size(); i++) {
            steps.get(i).run();
            assertThat(store.ttl()).as("after step %d", i).isGreaterThan(hour + Store.RETENTION - PAUSE);
        }
    }

    /** Its JVM died, and the clock was set back by an hour. */
    @Test
    @Fault(398)
    void fault398_clockSetBackDoesNotProlongDeadWaiter() {
        store.acquire("r1", "S", 0, "", true);
        store.acquire("w", "X", 0, "gone", true);
        String[] waiter = store.field("w:w").split("\\|", -1);
        waiter[4] = String.valueOf(store.now() + 3_600_000);
        store.redis.command("HSET", Store.KEY, "w:w", String.join("|", waiter));
        assertThat(store.inspect().get(1)).as("waiters").isEqualTo(0L);

        assertThat(store.acquire("r2", "S", 0, "", true).get(0)).isEqualTo("QUEUED");

        assertThat(Long.parseLong(store.part("w:w", 4))).as("considered alive until")
                .isBetween(store.now(), store.now() + 5_000);
        waiter[4] = store.part("w:w", 4);
        assertThat(store.field("w:w")).as("the rest").isEqualTo(String.join("|", waiter));
        assertThat(store.inspect().get(1)).as("waiters").isEqualTo(2L);
    }

    @Test
    void repeatedAcquireReturnsSameGrantWithFullLease() {
        Object fence = store.acquire("a", false).get(1);
        store.end("h:a", store.now() + 10_000);
        List<Object> again = store.acquire("a", false);
        assertThat(again).containsExactly("GRANTED", fence, 0L);
        assertThat(remaining("h:a")).isGreaterThan(Store.LEASE - PAUSE);
    }

    @Test
    void heldNameIsBusyForNonWaitingClaim() {
        store.acquire("a", false);
        List<Object> reply = store.acquire("b", false);
        assertThat(reply.get(0)).isEqualTo("BUSY");
        assertThat((Long) reply.get(3)).isBetween(Store.LEASE - PAUSE, Store.LEASE);
        assertThat(reply.get(4)).isEqualTo("owner of a");
        assertThat((Long) reply.get(5)).isBetween(0L, PAUSE);
        assertThat(store.hash()).containsOnlyKeys("f", "h:a");
    }

    @Test
    void waitersKeepTheirPlaceWhenTheyAskAgain() {
        store.acquire("a", true);
        assertThat(store.acquire("b", true).subList(0, 3)).containsExactly("QUEUED", store.field("f"), 1L);
        assertThat(store.acquire("c", true).get(2)).isEqualTo(2L);
        assertThat(store.acquire("b", true).get(2)).isEqualTo(2L);
        assertThat(Long.parseLong(store.part("w:b", 0))).isGreaterThan(store.fence())
                .isLessThan(Long.parseLong(store.part("w:c", 0)));
    }

    @Test
    void releaseGrantsFirstWaiterBrieflyAndNotifiesItsJvm() {
        try (JvmChannel jvm = new JvmChannel(server, "jvm-b")) {
            store.acquire("a", true);
            store.acquire("b", "X", 0, "jvm-b", true);
            store.acquire("c", true);
            long before = store.now();
            assertThat(store.release("a")).containsExactly("RELEASED", 1L);
            assertThat(end("h:b")).isBetween(before + 3_000, store.now() + 3_000);
            assertThat(store.hash()).containsOnlyKeys("f", "h:b", "w:c");
            assertThat(jvm.message()).isEqualTo("G|b|" + store.field("f") + "|1");
        }
    }

    @Test
    @Fault(118)
    void fault118_pushedGrantDoesNotOutliveItsLease() {
        try (JvmChannel jvm = new JvmChannel(server, "jvm-b")) {
            store.acquire("a", true);
            store.eval(Script.ACQUIRE, List.of(Store.KEY),
                    List.of("" + Store.RETENTION, "0", "b", "X", "0", "jvm-b", "1000", "1",
                            "1|me"));
            long before = store.now();
            store.release("a");
            assertThat(end("h:b")).isBetween(before + 1_000, store.now() + 1_000);
            assertThat(store.field("h:b")).endsWith("|1|me");
        }
    }

    @Test
    void acquireConfirmsPushedGrantWithSameFence() {
        try (JvmChannel jvm = new JvmChannel(server, "jvm-b")) {
            store.acquire("a", true);
            store.acquire("b", "X", 0, "jvm-b", true);
            store.release("a");
            String fence = store.field("f");
            store.end("h:b", store.now() + 10_000); // its own three seconds may pass before the next command
            assertThat(store.acquire("b", "X", 0, "jvm-b", true)).containsExactly("GRANTED", fence, 0L);
            assertThat(remaining("h:b")).isGreaterThan(Store.LEASE - PAUSE);
        }
    }

    @Test
    @Fault(35)
    void fault35_waiterOfDeadJvmIsSkipped() {
        try (JvmChannel jvm = new JvmChannel(server, "jvm-c")) {
            store.acquire("a", true);
            store.acquire("b", "X", 0, "jvm-b", true);
            store.acquire("c", "X", 0, "jvm-c", true);
            assertThat(store.release("a")).containsExactly("RELEASED", 0L);
            assertThat(store.hash()).containsOnlyKeys("f", "h:c");
        }
    }

    @Test
    void clusterGrantsWaiterWithoutKnownReceiver() {
        store.cluster = true;
        store.acquire("a", true);
        store.acquire("b", "X", 0, "jvm-b", true);
        store.release("a");
        assertThat(store.hash()).containsKey("h:b");
    }

    @Test
    void waiterWithoutChannelIsGrantedSilently() {
        store.acquire("a", true);
        store.acquire("b", true);
        store.release("a");
        assertThat(store.hash()).containsOnlyKeys("f", "h:b");
    }

    @Test
    void newClaimDoesNotOvertakeQueue() {
        store.acquire("a", true);
        store.acquire("b", true);
        store.expire("h:a");
        assertThat(store.acquire("c", false).get(0)).isEqualTo("BUSY");
        assertThat(store.hash()).containsOnlyKeys("f", "h:b");
    }

    @Test
    void firstWaiterIsGrantedWhenPollingAfterExpiry() {
        long first = Long.parseLong((String) store.acquire("a", true).get(1));
        store.acquire("b", true);
        store.expire("h:a");
        List<Object> reply = store.acquire("b", true);
        assertThat(reply.get(0)).isEqualTo("GRANTED");
        assertThat(Long.parseLong((String) reply.get(1))).isGreaterThan(first);
        assertThat(store.renew("a")).isEqualTo(-1);
    }

    @Test
    void waiterThatStopsPollingIsDropped() {
        store.acquire("a", true);
        store.acquire("b", true);
        store.acquire("c", true);
        String[] parts = store.field("w:b").split("\\|", -1);
        parts[4] = "1";
        store.redis.command("HSET", Store.KEY, "w:b", String.join("|", parts));
        store.release("a");
        assertThat(store.hash()).containsOnlyKeys("f", "h:c");
    }

    @Test
    void latePollKeepsWaiterInPlace() {
        store.acquire("a", true);
        store.acquire("b", true);
        store.acquire("c", true);
        String[] parts = store.field("w:b").split("\\|", -1);
        parts[4] = "1";
        store.redis.command("HSET", Store.KEY, "w:b", String.join("|", parts));
        assertThat(store.acquire("b", true).get(0)).isEqualTo("QUEUED");
        assertThat(store.part("w:b", 0)).isEqualTo(parts[0]);
    }

    @Test
    void holderIsNotifiedRepeatedlyButNotByEachPoll() {
        try (JvmChannel jvm = new JvmChannel(server, "jvm-a")) {
            store.acquire("a", "X", 0, "jvm-a", true);
            store.acquire("b", true);
            assertThat(jvm.message()).isEqualTo("R|a|" + store.lastTicket());
            store.forgetHints();
            store.acquire("b", true);
            assertThat(jvm.message()).isEqualTo("R|a|" + store.lastTicket());
            store.forgetHints();
            store.acquire("b", true);
            store.acquire("b", true);
            store.redis.command("PUBLISH", "jvm-a", "next");
            assertThat(jvm.message()).isEqualTo("R|a|" + store.lastTicket());
            assertThat(jvm.message()).as("not by each poll").isEqualTo("next");
        }
    }

    @Test
    void laterWaiterNotifiesHolderOnlyWhenItPolls() {
        try (JvmChannel jvm = new JvmChannel(server, "jvm-a")) {
            store.acquire("a", "X", 0, "jvm-a", true);
            store.acquire("b", true);
            assertThat(jvm.message()).isEqualTo("R|a|" + store.lastTicket());
            store.forgetHints();
            store.acquire("c", true);
            store.redis.command("PUBLISH", "jvm-a", "next");
            assertThat(jvm.message()).as("the earlier waiter has notified the holder").isEqualTo("next");
            store.acquire("c", true);
            assertThat(jvm.message()).as("that message may have been lost").isEqualTo("R|a|" + store.lastTicket());
        }
    }

    @Test
    void releaseAffectsOnlyItsOwnClaim() {
        store.acquire("a", true);
        store.acquire("b", true);
        var before = store.hash();
        assertThat(store.release("x")).containsExactly("ABSENT", 1L);
        assertThat(store.hash()).containsAllEntriesOf(before);
        assertThat(store.release("b")).containsExactly("WITHDRAWN", 0L);
        assertThat(store.release("a")).containsExactly("RELEASED", 0L);
        assertThat(store.release("a")).containsExactly("ABSENT", 0L);
    }

    @Test
    void releaseLeavesOnlyFenceWithExpiry() {
        store.acquire("a", true);
        store.acquire("b", true);
        store.release("b");
        store.release("a");
        assertThat(store.hash()).containsOnlyKeys("f");
        assertThat(store.ttl()).isBetween(1L, Store.RETENTION);
    }

    @Test
    void releaseOfExpiredHoldReportsAbsent() {
        store.acquire("a", true);
        store.expire("h:a");
        assertThat(store.release("a").get(0)).isEqualTo("ABSENT");
        store.acquire("a", true);
        store.acquire("b", true);
        store.expire("h:a");
        assertThat(store.release("a").get(0)).isEqualTo("ABSENT");
        assertThat(store.hash()).containsOnlyKeys("f", "h:b");
    }

    @Test
    void withdrawalOfUnknownNameLeavesNothing() {
        assertThat(store.release("a")).containsExactly("ABSENT", 0L);
        assertThat(store.redis.keys("*")).isEmpty();
    }

    @Test
    void tombstoneRejectsLateRequestsOfClaim() {
        store.release("a", 60_000);
        assertThat(store.ttl()).isBetween(60_000L, 60_000 + Store.RETENTION);
        assertThat(store.acquire("a", true)).containsExactly("GONE");
        assertThat(store.acquire("b", true).get(0)).isEqualTo("GRANTED");
        assertThat(store.acquire("a", false)).containsExactly("GONE");
        assertThat(store.hash()).containsKey("x:a");
    }

    @Test
    void expiredTombstoneIsRemoved() {
        store.release("a", 60_000);
        store.expire("x:a");
        assertThat(store.acquire("b", true).get(0)).isEqualTo("GRANTED");
        assertThat(store.hash()).containsOnlyKeys("f", "h:b");
    }

    @Test
    void renewalExtendsLeaseAndReturnsWaiterCount() {
        store.acquire("a", true);
        assertThat(store.renew("a", 90_000)).isZero();
        assertThat(remaining("h:a")).isBetween(90_000 - PAUSE, 90_000L);
        assertThat(store.ttl()).isGreaterThan(90_000L);
        store.acquire("b", true);
        assertThat(store.renew("a")).isEqualTo(1);
        assertThat(remaining("h:a")).as("never shortened").isGreaterThan(90_000 - PAUSE);
        assertThat(store.part("h:a", 6)).isEqualTo("owner of a");
    }

    @Test
    @Fault(15)
    void fault15_renewalDoesNotRecreateLostHold() {
        assertThat(store.renew("a")).isEqualTo(-1);
        assertThat(store.redis.keys("*")).isEmpty();
        store.acquire("a", true);
        store.expire("h:a");
        assertThat(store.renew("a")).isEqualTo(-1);
        assertThat(store.part("h:a", 0)).isEqualTo("1");
    }

    @Test
    @Fault(108)
    void fault108_renewalRegistersChannelForMessages() {
        try (JvmChannel jvm = new JvmChannel(server, "jvm-a")) {
            store.acquire("a", "X", 0, "", true);
            long fence = store.fence();
            store.ask();
            assertThat(store.renew("a", Store.LEASE, "jvm-a")).isEqualTo(-2);
            assertThat(store.part("h:a", 6)).isEqualTo("owner of a");
            assertThat(store.renew("a", Store.LEASE, "")).as("the request stays noted").isEqualTo(-2);
            store.force();
            assertThat(jvm.message()).isEqualTo("L|a|" + fence);
        }
    }

    @Test
    void eachHoldInOneRenewalGetsItsOwnLease() {
        List<Long> leases = List.of(90_000L, 40_000L, 90_000L);
        var keys = new ArrayList<String>();
        var args = new ArrayList<>(List.of("" + Store.RETENTION, ""));
        for (int i = 0; i < leases.size(); i++) {
            keys.add("lock:1:{test:" + i + "}");
            args.addAll(List.of("a", "" + leases.get(i)));
            store.eval(Script.ACQUIRE, List.of(keys.get(i)),
                    List.of("60000", "0", "a", "X", "0", "", "" + Store.LEASE, "0", "me"));
        }
        long before = store.now();
        store.eval(Script.RENEW, keys, args);
        long after = store.now();
        for (int i = 0; i < leases.size(); i++) {
            String hold = store.redis.text("HGET", keys.get(i), "h:a");
            assertThat(Long.parseLong(hold.substring(0, hold.indexOf('|')))).isBetween(before + leases.get(i),
                    after + leases.get(i));
            long left = Long.parseLong(String.valueOf(store.redis.command("PTTL", keys.get(i))));
            assertThat(left).isBetween(leases.get(i) + Store.RETENTION - PAUSE, leases.get(i) + Store.RETENTION);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "jvm", "jvm-a", "jvm-ab", "jvm-b" })
    void renewalReplacesStoredChannel(String before) {
        store.acquire("a", "L", 3, before, true);
        String owner = store.part("h:a", 6);
        store.renew("a", Store.LEASE, "");
        assertThat(store.part("h:a", 3)).as("without a channel, the old one stays").isEqualTo(before);
        store.ask();
        store.renew("a", Store.LEASE, "jvm-a");
        assertThat(List.of(store.part("h:a", 1), store.part("h:a", 2), store.part("h:a", 3)))
                .containsExactly("L!", "3", "jvm-a");
        assertThat(Long.parseLong(store.part("h:a", 4))).isEqualTo(store.fence());
        assertThat(store.part("h:a", 6)).isEqualTo(owner);
    }

    @Test
    void oneRenewalCallRenewsWholeBatch() {
        var keys = new ArrayList<String>();
        var args = new ArrayList<>(List.of("" + Store.RETENTION, ""));
        for (int i = 0; i < GrantRenewals.BATCH; i++) {
            keys.add("lock:1:{test:" + i + "}");
            args.add(i % 2 == 0 ? "a" : "stranger");
            args.add("" + Store.LEASE);
            store.eval(Script.ACQUIRE, List.of(keys.get(i)),
                    List.of("60000", "0", "a", "X", "0", "", "" + Store.LEASE, "0", "me"));
        }
        List<Object> replies = store.eval(Script.RENEW, keys, args);
        for (int i = 0; i < GrantRenewals.BATCH; i++) {
            assertThat(replies.get(2 * i)).isEqualTo(i % 2 == 0 ? 0L : -1L);
        }
    }

    @Test
    @Fault(124)
    void fault124_forceAndReleaseRequestWorkWithoutMemory() {
        try (JvmChannel jvm = new JvmChannel(server, "jvm-a")) {
            store.acquire("a", "X", 0, "jvm-a", true);
            long fence = store.fence();
            store.withoutMemory(() -> {
                assertThat(store.ask()).containsExactly("ASKED", 1L);
                assertThat(jvm.message()).isEqualTo("A|a");
                assertThat(store.renew("a")).as("noted").isEqualTo(-2);
                assertThat(store.force()).containsExactly("FORCED", 1L);
                assertThat(jvm.message()).isEqualTo("L|a|" + fence);
                assertThat(store.fence()).isGreaterThan(fence);
            });
        }
    }

    @Test
    void renewalAndReleaseWorkWithoutMemory() {
        store.acquire("a", true);
        store.acquire("b", true);
        store.withoutMemory(() -> {
            assertThat(store.renew("a", 90_000)).isEqualTo(1);
            assertThat(store.release("a", 60_000).get(0)).isEqualTo("RELEASED");
            assertThat(store.renew("b")).isZero();
        });
    }

    /** A claim ends before its request arrives. */
    @Test
    @Fault(311)
    void fault311_unknownNameGetsTombstoneWithoutMemory() {
        store.withoutMemory(() -> {
            assertThat(store.release("late", 60_000).get(0)).isEqualTo("ABSENT");
        });
        assertThat(store.acquire("late", true)).containsExactly("GONE");
    }

    @Test
    void forceEndsHoldRaisesFenceAndGrantsNextWaiter() {
        try (JvmChannel jvm = new JvmChannel(server, "jvm-a")) {
            store.acquire("a", "X", 0, "jvm-a", true);
            long fence = store.fence();
            assertThat(store.force()).containsExactly("FORCED", 1L);
            assertThat(jvm.message()).isEqualTo("L|a|" + fence);
            assertThat(store.fence()).isGreaterThan(fence);
            assertThat(store.hash()).containsOnlyKeys("f");
            assertThat(store.force()).containsExactly("FORCED", 0L);

            store.acquire("b", true);
            store.acquire("c", true);
            store.force();
            assertThat(store.hash()).containsOnlyKeys("f", "h:c");
        }
    }

    /** The request may arrive long after its caller saw it fail. */
    @Test
    @Fault(456)
    void fault456_lateForceSparesLaterHolder() {
        store.acquire("a", true);
        String newest = store.field("f");
        store.release("a");
        store.acquire("b", true);
        var before = store.fields();
        assertThat(store.force(newest)).containsExactly("FORCED", 0L);
        assertThat(store.fields()).isEqualTo(before);
    }

    @Test
    @Fault(456)
    void fault456_lateForceSparesLaterSharedHolders() {
        for (String mode : List.of("S", "L")) {
            store.redis.command("DEL", Store.KEY);
            try (JvmChannel jvm = new JvmChannel(server, "jvm-a")) {
                for (String claim : List.of("a", "b", "c", "d")) {
                    store.acquire(claim, mode, 9, "jvm-a", true);
                }
                String newest = store.part("h:b", 4);
                long fence = store.fence();
                assertThat(store.force(newest)).containsExactly("FORCED", 2L);
                assertThat(List.of(jvm.message(), jvm.message())).allMatch(each -> each.matches("L\\|[ab]\\|.*"));
                assertThat(store.hash()).containsOnlyKeys("f", "h:c", "h:d");
                assertThat(store.fence()).isGreaterThan(fence);
                assertThat(store.acquire("e", mode, 9, "", false).get(0)).as("still shared").isEqualTo("GRANTED");
                List.of("c", "d", "e").forEach(store::release);
                assertThat(store.hash()).containsOnlyKeys("f");
            }
        }
    }

    @Test
    void forceOnUnknownNameCreatesNothing() {
        assertThat(store.force()).containsExactly("FORCED", 0L);
        assertThat(store.redis.keys("*")).isEmpty();
    }

    @Test
    void lateRequestsDoNotProlongKeptName() {
        store.acquire("a", true);
        store.acquire("b", true);
        assertThat(store.keep("a", 25_000)).containsExactly("KEPT", 1L);
        assertThat(store.renew("a")).as("no longer held").isEqualTo(-1);
        assertThat(store.acquire("a", true)).containsExactly("GONE");
        assertThat(remaining("k:a")).isBetween(1L, 25_000L);
        assertThat(store.hash()).containsOnlyKeys("f", "k:a", "w:b");
        assertThat(store.acquire("b", true).subList(0, 3)).containsExactly("QUEUED", store.field("f"), 1L);
        assertThat(store.keep("a", 20_000)).as("the reply was lost").containsExactly("KEPT", 1L);
        assertThat(remaining("k:a")).isBetween(1L, 20_000L);

        store.expire("k:a");
        assertThat(store.acquire("b", true).get(0)).isEqualTo("GRANTED");
        assertThat(store.hash()).containsOnlyKeys("f", "h:b");
    }

    @Test
    void keptNameIsInspectedReleasedAndForcedLikeHold() {
        try (JvmChannel jvm = new JvmChannel(server, "jvm-a")) {
            store.acquire("a", "X", 0, "jvm-a", true);
            store.keep("a", 25_000);
            assertThat(store.hash()).containsOnlyKeys("f", "k:a");
            assertThat(store.ttl()).isBetween(Store.RETENTION, Store.RETENTION + 25_000);
            assertThat(store.inspect().get(7)).isEqualTo("finished, kept by owner of a");
            assertThat(store.acquire("b", false).get(4)).as("the owner in the way").isEqualTo("owner of a");
            store.acquire("b", true);
            store.release("b");
            long fence = store.fence();
            assertThat(store.force()).containsExactly("FORCED", 1L);
            assertThat(store.fence()).isGreaterThan(fence);
            assertThat(store.hash()).containsOnlyKeys("f");

            store.acquire("a", "X", 0, "", true);
            store.keep("a", 25_000);
            assertThat(store.release("a")).containsExactly("RELEASED", 0L);
            assertThat(store.hash()).containsOnlyKeys("f");
            store.redis.command("PUBLISH", "jvm-a", "the first message");
            assertThat(jvm.message()).as("a former holder receives no messages").isEqualTo("the first message");
        }
    }

    @Test
    void inspectShowsLiveClaimsAndChangesNothing() {
        assertThat(store.inspect()).containsExactly("STATE", 0L);
        store.acquire("a", true);
        store.acquire("b", true);
        var before = store.hash();
        List<Object> state = store.inspect();
        assertThat(state.subList(0, 3)).containsExactly("STATE", 1L, store.field("f"));
        assertThat(state.subList(3, 5)).as("mode and limit").containsExactly("X", 0L);
        assertThat((Long) state.get(6)).isBetween(Store.LEASE - PAUSE, Store.LEASE);
        assertThat(state.get(7)).isEqualTo("owner of a");
        assertThat(store.hash()).isEqualTo(before);

        store.acquire("c", true);
        assertThat(state.subList(8, state.size())).as("waiters").singleElement()
                .asInstanceOf(InstanceOfAssertFactories.list(Object.class)).satisfies(waiter -> {
                    assertThat(waiter.subList(0, 2)).isEqualTo(List.of("X", 0L));
                    assertThat((Long) waiter.get(2)).isBetween(0L, PAUSE);
                    assertThat(waiter.get(3)).isEqualTo("owner of b");
                });

        store.expire("h:a");
        before = store.hash();
        state = store.inspect();
        assertThat(state.subList(0, 2)).containsExactly("STATE", 2L);
        assertThat(state.subList(2, state.size()).stream().<Object> map(waiter -> ((List<?>) waiter).get(3)).toList())
                .as("waiters in their order").isEqualTo(List.of("owner of b", "owner of c"));
        assertThat(store.hash()).isEqualTo(before);
    }

    @Test
    void readersShareButDoNotStarveAWriter() {
        assertThat(store.acquire("r1", "S", 0, "", true).get(0)).isEqualTo("GRANTED");
        assertThat(store.acquire("r2", "S", 0, "", true).get(0)).isEqualTo("GRANTED");
        assertThat(store.acquire("w", "X", 0, "", true).get(0)).isEqualTo("QUEUED");
        assertThat(store.acquire("r3", "S", 0, "", true).get(0)).isEqualTo("QUEUED");
        assertThat(store.acquire("r4", "S", 0, "", true).get(0)).isEqualTo("QUEUED");
        store.release("r1");
        assertThat(store.hash()).containsKeys("h:r2", "w:w");
        store.release("r2");
        assertThat(store.hash()).containsKeys("h:w", "w:r3", "w:r4");
        store.release("w");
        assertThat(store.hash()).as("all readers up to the next writer").containsKeys("h:r3", "h:r4");
    }

    @Test
    @Fault(130)
    void fault130_downgradeAdmitsReadersBeforeNextWriter() {
        try (JvmChannel jvm = new JvmChannel(server, "jvm-r")) {
            store.acquire("a", "X", 0, "", true);
            store.acquire("r", "S", 0, "jvm-r", true);
            store.acquire("w", true);
            store.acquire("r2", "S", 0, "", true);
            long fence = store.fence();
            String end = store.part("h:a", 0);
            List<Object> reply = store.downgrade("a");
            assertThat(store.part("h:a", 0)).as("the lease is unchanged").isEqualTo(end);
            assertThat(reply.subList(0, 2)).containsExactly("SHARED", 2L);
            assertThat((Long) reply.get(2)).isEqualTo(store.ticket("a"));
            assertThat(store.field("h:a")).matches("\\d+\\|S\\|0\\|\\|" + fence + "\\|.*");
            assertThat(jvm.message()).isEqualTo("G|r|" + store.fence() + "|2");
            assertThat(store.hash()).containsKeys("h:a", "h:r", "w:w", "w:r2");
            assertThat(store.downgrade("a").subList(0, 2)).as("once more").containsExactly("SHARED", 2L);
            store.release("r");
            assertThat(store.hash()).containsKeys("h:a", "w:w");
            store.release("a");
            assertThat(store.hash()).containsKeys("h:w", "w:r2");
        }
    }

    @Test
    @Fault(130)
    void fault130_onlyLiveHoldIsDowngraded() {
        assertThat(store.downgrade("a")).containsExactly("ABSENT");
        assertThat(store.hash()).isEmpty();
        store.acquire("b", true);
        var before = store.hash();
        assertThat(store.downgrade("a")).containsExactly("ABSENT");
        assertThat(store.hash()).isEqualTo(before);
        store.keep("b", 60_000);
        assertThat(store.downgrade("b")).as("already finished").containsExactly("ABSENT");
    }

    @Test
    @Fault(130)
    void fault130_downgradeWorksWithoutMemory() {
        store.acquire("a", true);
        store.acquire("r", "S", 0, "", true);
        store.withoutMemory(() -> {
            assertThat(store.downgrade("a").get(0)).isEqualTo("SHARED");
            assertThat(store.hash()).containsKeys("h:a", "h:r");
        });
    }

    @Test
    void renewalOfOneReaderKeepsHashForOthers() {
        store.acquire("r1", "S", 0, "", true);
        store.end("h:r1", store.now() + 600_000);
        store.acquire("r2", "S", 0, "", true);
        store.renew("r2");
        assertThat(store.ttl()).isGreaterThan(600_000L - PAUSE);
    }

    /** Otherwise the grant, made while there was a waiter, would be the newer news forever. */
    @Test
    @Fault(117)
    void fault117_lastWithdrawalIsNewerThanGrant() {
        store.acquire("x", true);
        store.acquire("r1", "S", 0, "", true);
        store.acquire("r2", "S", 0, "", true);
        store.acquire("w", true);
        store.release("x");
        assertThat(store.renew("r1")).as("one waiter is left").isEqualTo(1);
        store.release("w");
        assertThat(store.renew("r1")).isZero();
        assertThat(store.ticket("r1")).isGreaterThan(store.fence());
    }

    @Test
    void limitCountsAllHolders() {
        assertThat(store.acquire("l1", "L", 2, "", true).get(0)).isEqualTo("GRANTED");
        assertThat(store.acquire("l2", "L", 2, "", true).get(0)).isEqualTo("GRANTED");
        assertThat(store.acquire("l3", "L", 2, "", false).get(0)).isEqualTo("BUSY");
        assertThat(store.acquire("s", "S", 0, "", false).get(0)).isEqualTo("BUSY");
        assertThat(store.acquire("x", false).get(0)).isEqualTo("BUSY");
    }

    @Test
    void smallestOfDifferentLimitsApplies() {
        assertThat(store.acquire("l1", "L", 3, "", true).get(0)).isEqualTo("GRANTED");
        assertThat(store.acquire("l2", "L", 2, "", true).get(0)).isEqualTo("GRANTED");
        assertThat(store.acquire("l3", "L", 3, "", false).get(0)).as("the second holder allows only two").isEqualTo("BUSY");
        store.release("l2");
        assertThat(store.acquire("l4", "L", 3, "", true).get(0)).isEqualTo("GRANTED");
        assertThat(store.acquire("l5", "L", 3, "", true).get(0)).isEqualTo("GRANTED");
        assertThat(store.acquire("l6", "L", 2, "", true).get(0)).isEqualTo("QUEUED");
        store.release("l1");
        assertThat(store.hash()).as("still two").containsKey("w:l6");
        store.release("l4");
        assertThat(store.hash()).containsKey("h:l6");
    }

    @Test
    void releaseRequestIsStoredWithHolderAndEndsWithIt() {
        assertThat(store.ask()).containsExactly("ASKED", 0L);
        assertThat(store.hash()).isEmpty();
        store.acquire("a", false);
        assertThat(store.renew("a")).isZero();
        long ttl = store.ttl();
        assertThat(store.ask()).containsExactly("ASKED", 1L);
        assertThat(store.ask()).containsExactly("ASKED", 1L);
        assertThat(store.hash()).as("no field is added").containsOnlyKeys("f", "h:a");
        assertThat(store.ttl()).isLessThanOrEqualTo(ttl);
        assertThat(store.renew("a")).isEqualTo(-2);
        store.acquire("b", true);
        store.acquire("c", true);
        assertThat(store.renew("a")).as("two waiters").isEqualTo(-4);
        assertThat(store.acquire("a", false).get(0)).isEqualTo("GRANTED");
        assertThat(store.renew("a")).as("also after another acquire").isEqualTo(-4);
        store.release("a");
        assertThat(store.renew("a")).isEqualTo(-1);
        assertThat(store.renew("b")).as("the next holder is not asked").isEqualTo(1);
    }

    @Test
    void allReadersAreAskedToRelease() {
        store.acquire("r1", "S", 0, "there", true);
        store.acquire("r2", "S", 0, "", true);
        assertThat(store.ask()).containsExactly("ASKED", 2L);
        assertThat(store.renew("r1")).isEqualTo(-2);
        assertThat(store.renew("r2")).isEqualTo(-2);
        store.release("r1");
        assertThat(store.renew("r2")).isEqualTo(-2);
    }

    @Test
    void specialCharactersInOwnerDoNotBreakRecord() {
        String odd = "a|b|X|{}%\n\r\"'\\ \u00e9\ud83d\ude00 h:other";
        store.acquire("a", "X", 0, "", true, odd);
        assertThat(store.acquire("b", "X", 0, "", true, odd).get(4)).isEqualTo(odd);
        assertThat(store.renew("a")).isEqualTo(1);
        assertThat(store.release("a").get(0)).isEqualTo("RELEASED");
        assertThat(store.inspect().get(7)).isEqualTo(odd);
    }

    @Test
    void newerFormatIsRejectedUnchanged() {
        store.redis.command("HSET", Store.KEY, "v", "3", "h:a", "something else");
        var before = store.hash();
        assertThat(store.acquire("b", true)).containsExactly("FORMAT", "3");
        assertThat(store.release("b", 1000)).containsExactly("FORMAT", "3");
        assertThat(store.force()).containsExactly("FORMAT", "3");
        assertThat(store.inspect()).containsExactly("FORMAT", "3");
        assertThat(store.ask()).containsExactly("FORMAT", "3");
        assertThat(store.hash()).isEqualTo(before);
    }

    private long remaining(String holder) {
        return end(holder) - store.now();
    }

    private long end(String holder) {
        return Long.parseLong(store.part(holder, 0));
    }
}
