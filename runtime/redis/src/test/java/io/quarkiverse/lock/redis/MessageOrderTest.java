package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.redis.claim.RedisGrant;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;

/** Messages use a different connection than replies and may overtake the reply with the grant they concern. */
class MessageOrderTest extends RedisTest {

    @Test
    void waiterMessageOvertakingGrantIsDelivered() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm jvm = listening(proxy);
            Jvm.Waiting claim = claimWithoutReply(jvm, proxy);
            tell(jvm, "R|" + claim.claim.token() + "|" + (store.fence() + 1));
            proxy.accept();
            Grant grant = claim.grant();
            Await.until("it is told", SOON, () -> Boolean.TRUE.equals(jvm.told.waiters.get(grant)));
        }
    }

    @Test
    void forcedReleaseMessageOvertakingGrantIsDelivered() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm jvm = listening(proxy);
            Jvm.Waiting claim = claimWithoutReply(jvm, proxy);
            tell(jvm, "L|" + claim.claim.token() + "|" + store.fence());
            proxy.accept();
            Grant grant = claim.grant();
            Await.until("it is told", SOON, () -> "it was released by force".equals(jvm.told.lost.get(grant)));
        }
    }

    /** The JVM subscribes, possibly again. The server does not know yet where to send messages about this grant. */
    @Test
    @Fault(108)
    void fault108_grantRequestedBeforeRecheckIsRecheckedToo() {
        Jvm jvm = jvm().listening();
        jvm.release(jvm.grant("other"));
        var claim = new CompletableFuture<Jvm.Waiting>();
        jvm.link.run(() -> {
            claim.complete(jvm.claim("name"));
            jvm.link.run(jvm.backend.registry()::recheck); // after the request, before any reply can be read
        });
        Jvm.get(claim).grant();
        Await.until("it is checked", SOON, () -> jvm.told.rechecks.get() == 2);
    }

    private Jvm listening(FaultProxy proxy) {
        Jvm jvm = jvm("redis://" + proxy.host() + ":" + proxy.port(), Jvm.timeout(Duration.ofMillis(1_500))).listening();
        jvm.release(jvm.grant("other")); // so that the server knows the script
        return jvm;
    }

    /** The server grants it; the JVM learns of it by polling once the proxy accepts connections again. */
    private Jvm.Waiting claimWithoutReply(Jvm jvm, FaultProxy proxy) {
        proxy.refuse();
        proxy.dropReplyTo(Store.KEY);
        Jvm.Waiting claim = jvm.claim("name");
        Await.until("it is granted", SOON, () -> store.field("h:" + claim.claim.token()) != null);
        return claim;
    }

    private void tell(Jvm jvm, String message) {
        assertThat(store.redis.list("PUBSUB", "CHANNELS", "lock:1:jvm:*")).hasSize(1)
                .allSatisfy(channel -> store.redis.command("PUBLISH", channel, message));
        assertThat(jvm.told.lost).isEmpty();
    }

    @Test
    @Fault(117)
    void fault117_staleRenewalDoesNotHideNewWaiter() {
        Jvm holder = jvm().listening();
        Jvm other = jvm().listening();
        RedisGrant grant = (RedisGrant) holder.grant("name");
        long before = store.ticket(grant.token());
        Jvm.Waiting waiting = other.claim("name");
        Await.until("it is told", SOON, () -> Boolean.TRUE.equals(holder.told.waiters.get(grant)));
        // like a delayed reply to an earlier renewal
        holder.link.run(() -> holder.backend.registry().waiters(grant, false, before));
        Jvm.get(holder.backend.inspect("name"));
        assertThat(holder.told.waiters).containsEntry(grant, true);
        waiting.cancel();
        awaitFields("f", "h:" + grant.token());
        holder.renew(grant);
        assertThat(holder.told.waiters).as("after the next renewal").containsEntry(grant, false);
        Jvm.Waiting again = other.claim("name");
        Await.until("it is told again", SOON, () -> Boolean.TRUE.equals(holder.told.waiters.get(grant)));
        holder.release(grant);
        again.grant();
    }
}
