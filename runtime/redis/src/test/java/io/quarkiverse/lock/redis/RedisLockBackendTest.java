package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockEvent;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** The backend on a healthy server. */
class RedisLockBackendTest extends RedisTest {

    @Test
    void freeLockTakesOneCommandToAcquireAndOneToRelease() {
        Jvm jvm = jvm();
        jvm.release(jvm.grant("name"));
        store.redis.command("CONFIG", "RESETSTAT");
        Grant grant = jvm.grant("name");
        jvm.release(grant);
        assertThat(calls("evalsha")).isEqualTo(2);
        assertThat(calls("eval")).isZero();
        assertThat(grant.provisional()).isFalse();
        assertThat(grant.grantedNanos()).isEqualTo(Jvm.LEASE.toNanos());
        assertThat(store.hash()).containsOnlyKeys("f");
    }

    @Test
    void leaseStartsWhenRequestIsSent() {
        Jvm jvm = jvm();
        long before = System.nanoTime();
        Grant grant = jvm.grant("name");
        assertThat(grant.sentAt()).isBetween(before, System.nanoTime());
        long remaining = Long.parseLong(store.part("h:" + grant.claim().token(), 0)) - store.now();
        long local = grant.sentAt() + grant.grantedNanos() - System.nanoTime();
        assertThat(TimeUnit.MILLISECONDS.toNanos(remaining + 1)).isGreaterThanOrEqualTo(local);
    }

    @Test
    void busyAnswerNamesTheHolder() {
        Jvm holder = jvm();
        Jvm other = jvm();
        holder.grant("name");
        assertThat(other.ask("name")).isInstanceOfSatisfying(Busy.class,
                busy -> assertThat(busy.heldBy())
                        .matches(holder.backend.arguments().owner() + " for (\\d+ms|\\d+(\\.\\d+)?s)"));
        assertThat(store.hash()).hasSize(2);
    }

    @Test
    void waiterSeesHolderAndIsGrantedAfterRelease() {
        Jvm holder = jvm();
        Jvm other = jvm();
        Grant first = holder.grant("name");
        Jvm.Waiting waiting = other.claim("name");
        awaitQueued(waiting);
        Await.until("it has its answer", SOON, () -> waiting.claim.heldBy() != null);
        assertThat(waiting.claim.heldBy()).startsWith(holder.backend.arguments().owner());
        holder.release(first);
        assertThat(waiting.grant().fence()).isGreaterThan(first.fence());
    }

    @Test
    void theHolderLearnsThatOthersWait() {
        Jvm holder = jvm();
        Jvm other = jvm();
        Grant first = holder.grant("name");
        Jvm.Waiting waiting = other.claim("name");
        awaitQueued(waiting);
        assertThat(holder.renew(first).renewed()).hasSize(1);
        assertThat(holder.told.waiters).containsEntry(first, true);
        waiting.cancel();
        awaitFields("f", "h:" + first.claim().token());
        holder.renew(first);
        assertThat(holder.told.waiters).containsEntry(first, false);

        // By now it listens for messages, so it need not renew to learn this.
        Await.until("the holder listens", SOON, () -> listeners() == 2);
        holder.release(first);
        Grant second = holder.grant("name");
        other.claim("name");
        Await.until("the holder is told", SOON, () -> Boolean.TRUE.equals(holder.told.waiters.get(second)));
    }

    @Test
    void unusualNamesGetDistinctKeys() {
        Jvm jvm = jvm();
        for (String name : new String[] { "a", "A", "a ", "{a}", "%7ba%7d", "a:b", "\u00e9", "e\u0301", "x".repeat(1024),
                "\ud800",
                "\ud801", "?", "\n", "a|b" }) {
            jvm.grant(name);
        }
        assertThat(store.redis.keys("lock:1:{test:*}")).hasSize(14);
    }

    @Test
    void renewalReportsRenewedAndLostGrants() {
        Jvm jvm = jvm();
        Grant kept = jvm.grant("kept");
        Grant gone = jvm.grant("gone");
        store.redis.command("DEL", jvm.backend.arguments().key("gone"));
        Renewal renewal = jvm.renew(kept, gone);
        assertThat(renewal.renewed().equals(java.util.List.of(kept))).isTrue();
        assertThat(renewal.lost().equals(java.util.List.of(gone))).isTrue();
        assertThat(renewal.unknown()).isEmpty();
        assertThat(store.redis.keys("*gone*")).isEmpty();
    }

    @Test
    void oneCorruptKeyDoesNotAffectOtherRenewals() {
        Jvm jvm = jvm();
        Grant kept = jvm.grant("kept");
        Grant spoilt = jvm.grant("spoilt");
        store.redis.command("SET", jvm.backend.arguments().key("spoilt"), "by somebody else");
        Renewal renewal = jvm.renew(kept, spoilt);
        assertThat(renewal.renewed().equals(java.util.List.of(kept))).isTrue();
        assertThat(renewal.unknown().equals(java.util.List.of(spoilt))).isTrue();
    }

    @Test
    void manyHoldsAreRenewedInFewCalls() {
        Jvm jvm = jvm();
        var grants = new ArrayList<Grant>();
        for (int i = 0; i < 1_200; i++) {
            grants.add(jvm.grant("many-" + i));
        }
        store.redis.command("CONFIG", "RESETSTAT");
        assertThat(jvm.renew(grants.toArray(Grant[]::new)).renewed()).hasSize(1_200);
        assertThat(calls("evalsha") + calls("eval")).isBetween(3L, 6L);
    }

    @Test
    void inspectShowsHolderTokenAndWaiterCount() {
        Jvm holder = jvm();
        Jvm other = jvm();
        assertThat(Jvm.get(holder.backend.inspect("name"))).isEmpty();
        Grant grant = holder.grant("name");
        awaitQueued(other.claim("name"));
        Optional<LockInfo> info = Jvm.get(other.backend.inspect("name"));
        assertThat(info).get().satisfies(known -> {
            assertThat(known.name()).isEqualTo("name");
            assertThat(known.waiters()).isEqualTo(1);
            assertThat(known.holders()).singleElement().satisfies(by -> {
                assertThat(by.owner()).isEqualTo(holder.backend.arguments().owner());
                assertThat(by.fencingToken()).isEqualTo(grant.fence() * 1024);
                assertThat(by.remaining().toMillis()).isBetween(1_000L, Jvm.LEASE.toMillis() + 1);
                assertThat(by.heldFor().toMillis()).isBetween(0L, 10_000L);
            });
        });
    }

    @Test
    void forcedReleaseNotifiesHolderAndGrantsNextWaiter() {
        Jvm holder = jvm();
        Jvm other = jvm();
        assertThat(Jvm.get(holder.backend.forceRelease("name"))).isFalse();
        Grant held = holder.listening().grant("name");
        Jvm.Waiting waiting = other.claim("name");
        awaitQueued(waiting);
        assertThat(Jvm.get(other.backend.forceRelease("name"))).isTrue();
        Grant next = waiting.grant();
        assertThat(next.fence()).isGreaterThan(held.fence() + 1);
        Await.until("the holder is told", SOON, () -> !holder.told.lost.isEmpty());
        assertThat(holder.renew(held).lost()).hasSize(1);
    }

    @Test
    void reachableHolderReceivesReleaseRequestAtOnce() {
        Jvm holder = jvm().listening();
        Jvm other = jvm();
        assertThat(Jvm.get(other.backend.requestRelease("name"))).isFalse();
        Grant held = holder.grant("name");
        Jvm.Waiting waiting = other.claim("name");
        awaitQueued(waiting);
        assertThat(Jvm.get(other.backend.requestRelease("name"))).isTrue();
        Await.until("the holder is told without a renewal", SOON, () -> !holder.told.asked.isEmpty());
        assertThat(holder.renew(held).renewed()).hasSize(1);
        assertThat(holder.told.asked).as("the renewal reports it too").hasSize(2);
        assertThat(holder.told.asked).allMatch(asked -> asked.fence() == held.fence());
        assertThat(holder.told.lost).isEmpty();
        holder.release(held);
        Grant next = waiting.grant();
        assertThat(other.renew(next).renewed()).hasSize(1);
        assertThat(other.told.asked).isEmpty();
    }

    @Test
    @Fault(101)
    void fault101_releaseReportsLostGrant() {
        Jvm jvm = jvm();
        Grant grant = jvm.grant("name");
        store.redis.command("FLUSHALL");
        assertThat(failure(() -> jvm.release(grant))).isInstanceOf(LockLostException.class);
        jvm.release(grant); // an earlier attempt may have released it
    }

    @Test
    @Fault(101)
    void fault101_releaseReportsLossThoughScriptIsUnknown() {
        Jvm jvm = jvm();
        jvm.release(jvm.grant("name"));
        Grant grant = jvm.grant("name");
        store.redis.command("FLUSHALL");
        store.redis.command("SCRIPT", "FLUSH");
        assertThat(failure(() -> jvm.release(grant))).isInstanceOf(LockLostException.class);
    }

    /** If one script of a write is unknown, each of its calls is sent again on its own, though some have been run. */
    @Test
    @Fault(101)
    void fault101_resentReleaseReportsNoLoss() {
        Jvm jvm = jvm();
        Grant first = jvm.grant("first");
        Grant grant = jvm.grant("name");
        store.redis.command("SCRIPT", "FLUSH");
        jvm.release(first); // so that the server knows this script, and no others
        var released = new CompletableFuture<Void>();
        var claimed = new CompletableFuture<Jvm.Waiting>();
        jvm.link.run(() -> { // all but the inspection goes out in one write, as the connection is busy
            jvm.backend.inspect("name").subscribe().with(ignored -> {
            });
            jvm.backend.release(grant).subscribe().with(released::complete, released::completeExceptionally);
            claimed.complete(jvm.claim("other"));
        });
        Jvm.get(released);
        assertThat(Jvm.get(claimed).grant()).isNotNull();
    }

    @Test
    @Fault(452)
    void fault452_batchedReleasesReportLossThoughScriptIsUnknown() {
        Jvm jvm = jvm();
        jvm.release(jvm.grant("name"));
        List<Grant> grants = List.of(jvm.grant("a"), jvm.grant("b"), jvm.grant("c"));
        store.redis.command("FLUSHALL");
        store.redis.command("SCRIPT", "FLUSH");
        var released = new ArrayList<CompletableFuture<Void>>();
        grants.forEach(each -> released.add(new CompletableFuture<>()));
        jvm.link.run(() -> { // all but the inspection goes out in one write, as the connection is busy
            jvm.backend.inspect("name").subscribe().with(ignored -> {
            });
            for (int i = 0; i < grants.size(); i++) {
                CompletableFuture<Void> each = released.get(i);
                jvm.backend.release(grants.get(i)).subscribe().with(each::complete, each::completeExceptionally);
            }
        });
        assertThat(released)
                .allSatisfy(each -> assertThat(failure(() -> Jvm.get(each))).isInstanceOf(LockLostException.class));
    }

    @Test
    @Fault(101)
    void fault101_releaseRefusedByReplicaDoesNotHideLoss() {
        Jvm jvm = jvm(server.url(), Jvm.timeout(SOON));
        jvm.release(jvm.grant("other"));
        Grant grant = jvm.grant("name");
        store.redis.command("REPLICAOF", "127.0.0.1", "1");
        assertThat(failure(() -> jvm.release(grant))).isInstanceOf(LockBackendException.class)
                .isNotInstanceOf(LockLostException.class);
        store.redis.command("REPLICAOF", "NO", "ONE");
        store.redis.command("FLUSHALL");
        assertThat(failure(() -> jvm.release(grant))).isInstanceOf(LockLostException.class);
    }

    @Test
    @Fault(101)
    void fault101_delayedReleaseReportsLostGrant() {
        Jvm jvm = jvm();
        Grant grant = jvm.grant("name");
        store.redis.command("FLUSHALL");
        assertThat(failure(() -> Jvm.get(jvm.backend.releaseAfter(grant, TimeUnit.SECONDS.toNanos(1)))))
                .isInstanceOf(LockLostException.class);
    }

    @Test
    @Fault(101)
    void fault101_releaseAfterLeaseEndReportsNoLoss() {
        Jvm jvm = jvm();
        Grant grant = jvm.claim("name", false, Duration.ofMillis(200)).grant();
        Await.until("its lease has ended here too", SOON, () -> !grant.keptAt(jvm.time.nanoTime()));
        store.redis.command("FLUSHALL");
        jvm.release(grant);
    }

    @Test
    @Fault(101)
    void fault101_vanishedUnconfirmedGrantIsReportedAsLost() {
        List<LockEvent> losses = new CopyOnWriteArrayList<>();
        LockEngine engine = opened(LockEngine.builder(RedisChildBackend.make(server.host(), server.port(), "test", "somebody"))
                .listener(event -> {
                    if (event.kind() == LockEvent.Kind.LOST) {
                        losses.add(event);
                    }
                }).start());
        DistributedLock lock = engine.manager(ManagerDefaults.STANDARD).lock("name");
        // The recheck after subscribing would find the loss first
        Await.until("it listens", Duration.ofSeconds(10),
                () -> !store.redis.list("PUBSUB", "CHANNELS", "lock:1:jvm:*").isEmpty());
        lock.run(() -> {
        });
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> lock.run(() -> store.redis.command("DEL", Store.KEY)));
        assertThat(losses).singleElement().satisfies(loss -> assertThat(loss.reason()).contains("before its release"));
    }

    @Test
    void waitersOfDifferentJvmsAreServedInOrder() {
        Jvm holder = jvm();
        Grant grant = holder.grant("name");
        var order = new ConcurrentLinkedQueue<Integer>();
        var waiting = new ArrayList<Jvm.Waiting>();
        for (int i = 0; i < 6; i++) {
            int number = i;
            Jvm jvm = jvm();
            Jvm.Waiting each = jvm.claim("name");
            awaitQueued(each);
            waiting.add(each);
            each.answer.thenAccept(answer -> {
                order.add(number);
                jvm.backend.release((Grant) answer).subscribe().with(ignored -> {
                });
            });
        }
        holder.release(grant);
        waiting.forEach(Jvm.Waiting::grant);
        assertThat(order).containsExactly(0, 1, 2, 3, 4, 5);
        awaitFields("f");
    }

    @Test
    void onlyOneHolderAtATimeAndFencesIncrease() {
        var inside = new AtomicInteger();
        var fences = new ConcurrentLinkedQueue<Long>();
        var done = new ArrayList<java.util.concurrent.CompletableFuture<Void>>();
        for (int j = 0; j < 4; j++) {
            Jvm jvm = jvm();
            done.add(java.util.concurrent.CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 200; i++) {
                    Grant grant = jvm.claim("name").grant();
                    assertThat(inside.incrementAndGet()).isEqualTo(1);
                    fences.add(grant.fence());
                    if (grant.provisional()) {
                        assertThat(jvm.renew(grant).renewed()).hasSize(1);
                    }
                    inside.decrementAndGet();
                    jvm.release(grant);
                }
            }, task -> new Thread(task).start()));
        }
        assertThat(CompletableFuture.allOf(done.toArray(CompletableFuture[]::new))).succeedsWithin(LONG);
        assertThat(new ArrayList<>(fences)).hasSize(800).isSorted().doesNotHaveDuplicates();
        awaitFields("f");
    }

    @Test
    void cancellationAtAnyTimeLeavesNothing() {
        Jvm holder = jvm();
        Jvm other = jvm();
        var random = ThreadLocalRandom.current();
        for (int i = 0; i < 300; i++) {
            Grant grant = holder.claim("name").grant();
            Jvm.Waiting waiting = other.claim("name");
            LockSupport.parkNanos(random.nextInt(1_500_000));
            holder.backend.release(grant).subscribe().with(ignored -> {
            });
            LockSupport.parkNanos(random.nextInt(1_000_000));
            waiting.cancel();
            waiting.answer.thenAccept(answer -> other.backend.release((Grant) answer).subscribe().with(ignored -> {
            }));
        }
        awaitFields("f");
    }

    @Test
    void closeSendsWithdrawalAndUnsubscribes() {
        Jvm holder = jvm();
        Grant grant = holder.grant("name");
        Jvm other = jvm();
        Jvm.Waiting waiting = other.claim("name");
        awaitQueued(waiting);
        Await.until("both listen", SOON, () -> listeners() == 2);
        waiting.cancel();
        other.close();
        assertThat(store.hash()).containsOnlyKeys("f", "h:" + grant.claim().token());
        Await.until("its subscription is gone", SOON, () -> listeners() == 1);
    }

    @Test
    void backendClosedBeforeConnectingNeverConnects() {
        Await.until("those of the test before are closed", SOON, () -> connections() == 0);
        Jvm jvm = jvm();
        jvm.close();
        assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> jvm.ask("name"))
                .withMessageContaining("shutting down");
        Await.during("it does not connect", Duration.ofSeconds(1), () -> connections() == 0);
    }

    @Test
    void backendsOfOneJvmShareTwoConnections() {
        Jvm jvm = jvm();
        var second = new RedisLockBackend(jvm.link, "other", "owner");
        second.start(new Recorder(), jvm.time);
        Grant grant = jvm.grant("name");
        awaitQueued(jvm.claim("name"));
        Await.until("those of the test before are closed, and there are two", SOON, () -> connections() == 2);
        second.close();
        jvm.release(grant);
        assertThat(connections()).isEqualTo(2);
        jvm.close();
        Await.until("all are closed", SOON, () -> connections() == 0);
    }

    /** All clients except the one that counts them. */
    private long connections() {
        return ((String) store.redis.command("CLIENT", "LIST")).lines().count() - 1;
    }

    private int listeners() {
        try (TinyRedis redis = server.connect()) {
            return redis.list("PUBSUB", "CHANNELS", "lock:1:jvm:*").size();
        }
    }

    private long calls(String command) {
        String stat = store.redis.info("cmdstat_" + command);
        return stat == null ? 0 : Long.parseLong(stat.replaceAll("calls=(\\d+),.*", "$1"));
    }
}
