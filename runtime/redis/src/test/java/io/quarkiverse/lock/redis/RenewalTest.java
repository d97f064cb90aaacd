package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.proxy.Connection;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.proxy.Mode;

/** Lease changes and delayed releases, and when they reach the server. */
class RenewalTest extends RedisTest {

    /** Otherwise, if the holder dies, waiters wait as if it had never shortened its lease. */
    @Test
    @Fault(146)
    void fault146_renewalRepeatsLostLeaseShortening() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm jvm = jvm("redis://" + proxy.host() + ":" + proxy.port(), Jvm.timeout(Duration.ofMillis(1_500))).listening();
            Grant grant = jvm.claim("name", false, Duration.ofHours(1)).grant();
            grant.leaseNanos(Duration.ofSeconds(20).toNanos());
            proxy.connections().forEach(each -> each.mode(Mode.BLACKHOLE));
            assertThat(Jvm.get(jvm.backend.shorten(grant)).unknown()).hasSize(1);
            assertThat(left(grant)).as("not received").isGreaterThan(Duration.ofMinutes(50));

            assertThat(jvm.renew(grant).renewed()).hasSize(1);
            assertThat(left(grant)).isLessThanOrEqualTo(Duration.ofSeconds(21));

            grant.leaseNanos(Duration.ofHours(1).toNanos());
            assertThat(jvm.renew(grant).renewed()).hasSize(1);
            grant.leaseNanos(Duration.ofSeconds(20).toNanos());
            assertThat(jvm.renew(grant).renewed()).hasSize(1);
            assertThat(left(grant)).as("a renewal alone never shortens the lease").isGreaterThan(Duration.ofMinutes(50));
        }
    }

    /** The late request comes over an abandoned connection. */
    @Test
    @Fault(356)
    void fault356_lateLeaseShorteningIsIgnored() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm jvm = jvm("redis://" + proxy.host() + ":" + proxy.port(), Jvm.timeout(Duration.ofMillis(1_500))).listening();
            Grant grant = jvm.claim("name", false, Duration.ofHours(1)).grant();
            grant.leaseNanos(Duration.ofSeconds(20).toNanos());
            List<Connection> hanging = proxy.connections();
            hanging.forEach(each -> each.mode(Mode.BLACKHOLE));
            assertThat(Jvm.get(jvm.backend.shorten(grant)).unknown()).hasSize(1);
            assertThat(jvm.renew(grant).renewed()).as("over another connection").hasSize(1);
            grant.leaseNanos(Duration.ofHours(1).toNanos());
            assertThat(jvm.renew(grant).renewed()).hasSize(1);
            assertThat(left(grant)).isGreaterThan(Duration.ofMinutes(50));

            long before = renewals();
            hanging.forEach(each -> each.mode(Mode.PASS));
            Await.until("it arrives after all", Duration.ofSeconds(10), () -> renewals() > before);
            assertThat(left(grant)).as("after a later request").isGreaterThan(Duration.ofMinutes(50));

            grant.leaseNanos(Duration.ofSeconds(20).toNanos());
            assertThat(Jvm.get(jvm.backend.shorten(grant)).renewed()).hasSize(1);
            assertThat(left(grant)).as("shorter again").isLessThanOrEqualTo(Duration.ofSeconds(21));

            Jvm.get(jvm.backend.release(grant));
            assertThat(store.hash()).as("what is left").containsOnlyKeys("f");
        }
    }

    /** The name is released while there is no connection. */
    @Test
    @Fault(524)
    void fault524_lateDelayedReleaseKeepsNameNoLonger() {
        assertThat(keptAfter(Duration.ofMinutes(40))).isBetween(Duration.ofMinutes(19), Duration.ofMinutes(21));
    }

    @Test
    @Fault(524)
    void fault524_overdueDelayedReleaseFreesName() {
        assertThat(keptAfter(Duration.ofMinutes(70))).isLessThan(Duration.ofSeconds(1));
    }

    /** How long a name still stays taken if its release, delayed by an hour, reaches the server after this time. */
    private Duration keptAfter(Duration time) {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm jvm = jvm("redis://" + proxy.host() + ":" + proxy.port(), Jvm.timeout(Duration.ofHours(1)));
            Grant grant = jvm.claim("name", false, Duration.ofHours(2)).grant();
            proxy.down();
            Await.until("the connection is lost", Duration.ofSeconds(10), () -> jvm.told.suspected.contains(grant));
            CompletableFuture<Void> released = jvm.backend.releaseAfter(grant, Duration.ofHours(1).toNanos())
                    .subscribeAsCompletionStage();
            CompletableFuture<Void> waits = new CompletableFuture<>();
            jvm.link.run(() -> waits.complete(null));
            Jvm.get(waits);
            jvm.time.aheadNanos += time.toNanos();
            proxy.accept();
            Jvm.get(released);
            return left("k:", grant);
        }
    }

    private long renewals() {
        return Long.parseLong(store.redis.info("cmdstat_evalsha").replaceAll("calls=(\\d+).*", "$1"));
    }

    private Duration left(Grant grant) {
        return left("h:", grant);
    }

    private Duration left(String kind, Grant grant) {
        long expiry = Long.parseLong(store.field(kind + grant.claim().token()).split("\\|")[0]);
        var time = store.redis.list("TIME");
        return Duration.ofMillis(expiry - Long.parseLong(time.get(0)) * 1000 - Long.parseLong(time.get(1)) / 1000);
    }
}
