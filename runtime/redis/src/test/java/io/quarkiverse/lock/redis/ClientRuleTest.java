package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.proxy.Mode;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/** What a JVM must do for the scripts to be enough; (f) comes with replica acknowledgements. */
class ClientRuleTest extends RedisTest {

    private static final long CLAIM_LEASE = TimeUnit.SECONDS.toNanos(3);

    @Test
    void pushedGrantCountsFromLastQueuedRequest() {
        Jvm holder = jvm();
        Jvm other = silent();
        Grant first = holder.grant("name");
        Jvm.Waiting waiting = other.claim("name");
        awaitQueued(waiting);
        settleQueuedReply(other, waiting);
        long afterQueued = System.nanoTime();
        holder.release(first);
        Grant pushed = waiting.grant();
        assertThat(pushed.provisional()).isTrue();
        assertThat(pushed.grantedNanos()).isEqualTo(CLAIM_LEASE);
        assertThat(pushed.sentAt()).isLessThan(afterQueued);
        long atServer = Long.parseLong(store.part("h:" + pushed.claim().token(), 0)) - store.now();
        // the server counts whole ms
        assertThat(pushed.sentAt() + CLAIM_LEASE - System.nanoTime()).isLessThan(TimeUnit.MILLISECONDS.toNanos(atServer + 1));
        assertThat(other.renew(pushed).renewed()).hasSize(1);
    }

    @Test
    @Fault(118)
    void fault118_pushedGrantLastsNoLongerThanItsLease() {
        Jvm holder = jvm();
        Jvm other = silent();
        Grant first = holder.grant("name");
        Jvm.Waiting waiting = other.claim("name", true, Duration.ofSeconds(2));
        awaitQueued(waiting);
        settleQueuedReply(other, waiting);
        holder.release(first);
        assertThat(waiting.grant().grantedNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(2));
    }

    @Test
    void expiringPushedGrantIsConfirmedFirst() {
        Jvm holder = jvm();
        Jvm other = silent();
        Grant first = holder.grant("name");
        Jvm.Waiting waiting = other.claim("name");
        awaitQueued(waiting);
        settleQueuedReply(other, waiting);
        other.time.aheadNanos = TimeUnit.MILLISECONDS.toNanos(1_750);
        long before = other.time.nanoTime();
        holder.release(first);
        Grant confirmed = waiting.grant();
        assertThat(confirmed.provisional()).isFalse();
        assertThat(confirmed.grantedNanos()).isEqualTo(Jvm.LEASE.toNanos());
        assertThat(confirmed.sentAt()).isGreaterThanOrEqualTo(before);
    }

    @Test
    void stalePushedGrantIsIgnored() {
        Jvm holder = jvm();
        Jvm other = silent();
        Grant first = holder.grant("name");
        Jvm.Waiting waiting = other.claim("name");
        awaitQueued(waiting);
        String token = waiting.claim.token();
        store.redis.command("PUBLISH", store.part("w:" + token, 3), "G|" + token + "|" + store.field("f") + "|0");
        Await.during("a grant of an earlier life is not taken", Duration.ofMillis(300), () -> !waiting.answer.isDone());
        holder.release(first);
        assertThat(waiting.grant().fence()).isGreaterThan(first.fence());
    }

    @Test
    void grantForUnknownClaimIsIgnored() {
        Jvm jvm = jvm();
        Grant first = jvm.grant("other");
        Jvm.Waiting waiting = jvm.claim("other");
        Await.until("it listens", SOON, () -> channels().size() == 1);
        String channel = channels().get(0);
        Grant held = jvm.grant("name");
        var before = store.hash();
        store.redis.command("PUBLISH", channel, "G|" + held.claim().token() + "|9999999999999999|0");
        store.redis.command("PUBLISH", channel, "G|0123456789abcdef0123456789abcdef|9999999999999999|0");
        store.redis.command("PUBLISH", channel, "nonsense");
        jvm.release(first);
        waiting.grant();
        assertThat(store.hash()).isEqualTo(before);
        assertThat(jvm.renew(held).renewed()).hasSize(1);
    }

    @Test
    void withdrawalIsRepeatedUntilAnswered() {
        Jvm holder = jvm();
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm other = jvm("redis://" + proxy.host() + ":" + proxy.port(), RedisLockOptions.STANDARD);
            Grant first = holder.grant("name");
            Jvm.Waiting waiting = other.claim("name");
            awaitQueued(waiting);
            proxy.down();
            waiting.cancel();
            proxy.pass();
            Await.until("it is out of the queue", SOON,
                    () -> store.field("w:" + waiting.claim.token()) == null);
            holder.release(first);
        }
    }

    @Test
    @Fault(6)
    void fault06_releaseWithLostReplyIsSafelyRepeated() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm jvm = jvm("redis://" + proxy.host() + ":" + proxy.port(), RedisLockOptions.STANDARD);
            Jvm other = jvm();
            jvm.release(jvm.grant("name")); // so that the server knows the script
            Grant grant = jvm.grant("name");
            proxy.dropReplyTo(grant.claim().token());
            assertThat(failure(() -> jvm.release(grant))).hasMessageContaining("quarkus.lock.redis.operation-timeout");
            Grant next = other.claim("name").grant();
            jvm.release(grant);
            assertThat(jvm.told.lost).as("it was released, not lost").isEmpty();
            assertThat(other.renew(next).renewed()).hasSize(1);
        }
    }

    @Test
    @Fault(7)
    void fault07_acquireWithLostReplyIsRetriedWithSameToken() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm jvm = jvm("redis://" + proxy.host() + ":" + proxy.port(), RedisLockOptions.STANDARD);
            jvm.release(jvm.grant("name"));
            for (boolean waits : new boolean[] { true, false }) {
                proxy.dropReplyTo(Store.KEY);
                Grant grant = jvm.claim("name", waits).grant();
                assertThat(proxy.dropPending()).isFalse();
                assertThat(grant.fence()).isEqualTo(store.fence());
                jvm.release(grant);
                assertThat(store.hash()).as("a late request is refused").containsKey("x:" + grant.claim().token());
                store.redis.command("DEL", Store.KEY);
            }
        }
    }

    @Test
    @Fault(8)
    void fault08_lateRequestOfEndedClaimChangesNothing() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm jvm = jvm("redis://" + proxy.host() + ":" + proxy.port(), Jvm.timeout(Duration.ofMillis(1_500)));
            jvm.release(jvm.grant("name"));
            proxy.connections().forEach(each -> each.mode(Mode.BLACKHOLE));
            proxy.refuse();
            Jvm.Waiting late = jvm.claim("name", true);
            Await.until("the connection is given up", SOON, () -> late.claim.trouble() != null);
            late.cancel();
            proxy.accept();
            Await.until("the withdrawal came over a new connection", SOON,
                    () -> store.hash().containsKey("x:" + late.claim.token()));
            assertThat(store.acquire(late.claim.token(), true)).containsExactly("GONE");
            assertThat(store.hash()).doesNotContainKey("h:" + late.claim.token());
        }
    }

    @Test
    @Fault(363)
    void fault363_lateRequestOfBusyClaimIsRejected() {
        Jvm holder = jvm();
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm jvm = jvm("redis://" + proxy.host() + ":" + proxy.port(), RedisLockOptions.STANDARD);
            jvm.release(jvm.grant("name"));
            Grant held = holder.grant("name");
            proxy.dropReplyTo(Store.KEY);
            Jvm.Waiting late = jvm.claim("name", false);
            assertThat(Jvm.get(late.answer)).isInstanceOf(Busy.class);
            assertThat(proxy.dropPending()).isFalse();
            Await.until("it is withdrawn", SOON, () -> store.hash().containsKey("x:" + late.claim.token()));
            holder.release(held);
            assertThat(store.acquire(late.claim.token(), false)).containsExactly("GONE");
        }
    }

    /** Nobody holds it, and nobody releases it. */
    @Test
    @Fault(455)
    void fault455_lateRequestIsRejectedAfterFailedRenewal() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm jvm = jvm("redis://" + proxy.host() + ":" + proxy.port(), RedisLockOptions.STANDARD);
            Grant held = grantedAtTheSecondRequest(jvm, proxy);
            store.redis.command("DEL", Store.KEY);
            assertThat(jvm.renew(held).lost()).hasSize(1);
            assertRefused(held);
        }
    }

    @Test
    @Fault(455)
    void fault455_lateRequestIsRejectedAfterForcedRelease() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm jvm = jvm("redis://" + proxy.host() + ":" + proxy.port(), RedisLockOptions.STANDARD).listening();
            Grant held = grantedAtTheSecondRequest(jvm, proxy);
            assertThat(jvm.renew(held).renewed()).as("with its channel").hasSize(1);
            assertThat(Jvm.get(jvm().backend.forceRelease("name"))).isTrue();
            assertRefused(held);
        }
    }

    @Test
    @Fault(455)
    void fault455_lateRequestIsRejectedAfterFailedDowngrade() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm jvm = jvm("redis://" + proxy.host() + ":" + proxy.port(), RedisLockOptions.STANDARD);
            Grant held = grantedAtTheSecondRequest(jvm, proxy);
            store.redis.command("DEL", Store.KEY);
            assertThat(Jvm.get(jvm.backend.downgrade(held))).isFalse();
            assertRefused(held);
        }
    }

    /** A renewal may arrive behind the request that keeps the name taken. */
    @Test
    @Fault(455)
    void fault455_lateRenewalDoesNotCutHoldAtLeast() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm jvm = jvm("redis://" + proxy.host() + ":" + proxy.port(), RedisLockOptions.STANDARD);
            Grant held = grantedAtTheSecondRequest(jvm, proxy);
            Jvm.get(jvm.backend.releaseAfter(held, Duration.ofSeconds(30).toNanos()));
            assertThat(jvm.renew(held).lost()).hasSize(1);
            Await.during("it stays taken", Duration.ofSeconds(1),
                    () -> store.hash().containsKey("k:" + held.claim().token()));
        }
    }

    /** The first one may still be on its way, as far as the JVM knows. */
    private static Grant grantedAtTheSecondRequest(Jvm jvm, FaultProxy proxy) {
        jvm.release(jvm.grant("name")); // so that the server knows the script
        proxy.dropReplyTo(Store.KEY);
        Grant grant = jvm.claim("name").grant();
        assertThat(proxy.dropPending()).isFalse();
        return grant;
    }

    private void assertRefused(Grant grant) {
        Await.until("a late request is refused", SOON, () -> store.hash().containsKey("x:" + grant.claim().token()));
        assertThat(store.acquire(grant.claim().token(), false)).containsExactly("GONE");
    }

    @Test
    void lostConnectionTriggersFullRecheck() {
        Jvm holder = jvm().listening();
        Jvm other = silent();
        Grant first = holder.grant("name");
        Jvm.Waiting waiting = other.claim("name");
        awaitQueued(waiting);
        int before = other.told.rechecks.get();
        store.redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        Await.until("all is checked", SOON, () -> other.told.rechecks.get() > before && holder.told.rechecks.get() > 0);
        assertThat(holder.told.suspected).contains(first);
        assertThat(holder.renew(first).renewed()).hasSize(1);
        holder.release(first);
        waiting.grant();
    }

    @Test
    @Fault(32)
    void fault32_waitingClaimsAskAgainAfterLostSubscription() {
        Jvm holder = jvm();
        Jvm other = silent();
        Grant first = holder.grant("name");
        Jvm.Waiting waiting = other.claim("name");
        awaitQueued(waiting);
        settleQueuedReply(other, waiting);
        int before = other.told.rechecks.get();
        // The message is lost with the subscription; nothing but the check after it can find the grant.
        store.redis.command("CLIENT", "KILL", "TYPE", "pubsub");
        holder.release(first);
        waiting.grant();
        assertThat(other.told.rechecks.get()).isGreaterThan(before);
    }

    @Test
    @Fault(32)
    void fault32_pollRecoversLostMessage() {
        long bound = TimeUnit.MILLISECONDS.toNanos(1_500); // one poke a second; later the server considers the waiter dead
        Jvm holder = jvm();
        Jvm other = jvm();
        long best = withoutMessage(holder, other);
        for (int i = 1; i < 5 && best >= bound; i++) { // a busy machine is not always busy
            best = withoutMessage(holder, other);
        }
        assertThat(best).as("ns").isLessThan(bound);
    }

    private long withoutMessage(Jvm holder, Jvm other) {
        Grant first = holder.grant("name");
        Jvm.Waiting waiting = other.claim("name");
        awaitQueued(waiting);
        String entry = store.field("w:" + waiting.claim.token());
        // As if the release had found another channel: nobody is notified.
        store.redis.command("HSET", Store.KEY, "w:" + waiting.claim.token(), entry.replaceFirst("lock:1:jvm:[^|]*", ""));
        long start = System.nanoTime();
        holder.release(first);
        Grant granted = waiting.grant();
        long took = System.nanoTime() - start;
        other.release(granted);
        return took;
    }

    /** A JVM that never asks of its own accord. */
    private Jvm silent() {
        Jvm jvm = jvm();
        jvm.time.timers = false;
        return jvm;
    }

    private List<String> channels() {
        return store.redis.list("PUBSUB", "CHANNELS", "lock:1:jvm:*");
    }

    /** The reply with the channel may have been written before this JVM has read it. */
    private void settleQueuedReply(Jvm jvm, Jvm.Waiting waiting) {
        Jvm.get(jvm.backend.inspect(waiting.claim.name()));
    }

    @Test
    @Fault(195)
    void fault195_claimIsWithdrawnWhenFailureCallbackThrows() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm jvm = jvm("redis://" + proxy.host() + ":" + proxy.port(), Jvm.timeout(Duration.ofMillis(1_500)));
            jvm.release(jvm.grant("name"));
            proxy.dropReplyTo(Store.KEY);
            proxy.refuse();
            var claim = new Claim("name", 7, 7, LockMode.EXCLUSIVE, 0, Jvm.LEASE.toNanos(), false);
            var told = new CompletableFuture<Throwable>();
            jvm.backend.acquire(claim).subscribe().withSubscriber(new UniSubscriber<Answer>() {

                @Override
                public void onSubscribe(UniSubscription subscription) {
                }

                @Override
                public void onItem(Answer item) {
                    told.completeExceptionally(new AssertionError(item));
                }

                @Override
                public void onFailure(Throwable failure) {
                    told.complete(failure);
                    throw new InternalError("on purpose");
                }
            });
            Jvm.get(told);
            assertThat(store.field("h:" + claim.token())).as("granted, and nobody knows").isNotNull();
            proxy.accept();
            Await.until("it is withdrawn", SOON, () -> store.field("h:" + claim.token()) == null);
        }
    }
}
