package io.quarkiverse.lock.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.redis.quorum.QuorumCluster.Address;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.NoNews;
import io.quarkiverse.lock.testkit.TestTime;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;

/** What a JVM remembers of grants that ended while it reached no majority. */
class ForgottenGrantsTest {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration SOON = Duration.ofSeconds(20);

    private static Claim claim(long number) {
        return new Claim("name", 7, number, LockMode.EXCLUSIVE, 0, LEASE.toNanos(), true);
    }

    @Test
    @Fault(392)
    void fault392_grantWhoseReleaseFailedIsForgotten() {
        try (var cluster = new QuorumCluster(3).satOut(LEASE)) {
            List<FaultProxy> links = cluster.servers().stream().map(each -> FaultProxy.to(each.host(), each.port())).toList();
            QuorumLockBackend backend = QuorumCluster.backend(
                    links.stream().map(each -> new Address(each.host(), each.port())).toList(), QuorumCluster.options(LEASE),
                    "test", "somebody");
            backend.start(new NoNews(), new TestTime());

            WeakReference<Grant> grant = givenBackInVain(backend, links);

            Await.until("it is forgotten", SOON, () -> {
                System.gc();
                return grant.get() == null;
            });
            backend.close();
            links.forEach(FaultProxy::close);
        }
    }

    private static WeakReference<Grant> givenBackInVain(QuorumLockBackend backend, List<FaultProxy> links) {
        Grant grant = (Grant) backend.acquire(claim(1)).await().atMost(SOON);
        links.forEach(FaultProxy::down);
        assertThatThrownBy(() -> backend.release(grant).await().atMost(SOON)).isInstanceOf(LockBackendException.class);
        return new WeakReference<>(grant);
    }

    /** A grant lost at its deadline is never released. */
    @Test
    @Fault(392)
    void fault392_unreleasedGrantsAreForgotten() {
        var time = new TestTime();
        var claims = new Claims(new NoNews(), 1, time, grant -> {
        });
        var all = new ArrayList<WeakReference<QuorumGrant>>();
        for (int i = 0; i < 5_000; i++) {
            time.aheadNanos += LEASE.toNanos();
            all.add(new WeakReference<>(granted(claims, i, time)));
        }

        Await.until("most are forgotten", SOON, () -> {
            System.gc();
            return all.stream().filter(each -> each.get() != null).count() <= 1_025;
        });
        assertThat(claims.keeps(granted(claims, 5_000, time))).isTrue();
    }

    private static QuorumGrant granted(Claims claims, int number, TestTime time) {
        var grant = new QuorumGrant(claim(number), number, time.nanoTime(), new Asks(3), null);
        claims.granted(grant);
        return grant;
    }
}
