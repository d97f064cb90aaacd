package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.proxy.Mode;

/** A forced release reaches a holder that had no other reason to listen, and affects nobody else. */
class ForcedReleaseTest extends RedisTest {

    /** The next renewal would notify the holder too, but only after more than three minutes. */
    private static final LockOptions LONG = LockOptions.DEFAULTS.withLease(Duration.ofMinutes(10));

    @Test
    @Fault(108)
    void fault108_uncontendedHolderLearnsOfForcedReleaseAtOnce() {
        isTold(LONG);
    }

    @Test
    @Fault(108)
    void fault108_nonRenewingHolderLearnsOfForcedReleaseAtOnce() {
        isTold(LONG.withRenew(false));
    }

    /** The request arrives after its caller has given up. */
    @Test
    @Fault(456)
    void fault456_failedForcedReleaseSparesNextHolder() {
        try (FaultProxy path = FaultProxy.to(server.host(), server.port())) {
            Jvm operator = jvm("redis://" + path.host() + ":" + path.port(), Jvm.timeout(Duration.ofMillis(1_500)));
            assertThat(Jvm.get(operator.backend.forceRelease("name"))).isFalse(); // loads the scripts into the server
            Jvm holder = jvm();
            Grant first = holder.grant("name");
            path.refuse();
            path.connections().forEach(each -> each.mode(Mode.BLACKHOLE));
            assertThat(failure(() -> Jvm.get(operator.backend.forceRelease("name")))).isInstanceOf(LockBackendException.class);
            holder.release(first);
            Grant second = holder.grant("name");
            long calls = calls();
            path.connections().forEach(each -> each.mode(Mode.PASS));
            Await.until("it has come", SOON, () -> calls() > calls);
            assertThat(holder.renew(second).renewed()).hasSize(1);
        }
    }

    @Test
    @Fault(456)
    void fault456_grantBetweenForcedReleaseRequestsIsKept() {
        Jvm operator = jvm();
        assertThat(Jvm.get(operator.backend.forceRelease("name"))).isFalse(); // loads the scripts into the server
        Jvm holder = jvm();
        Grant first = holder.grant("name");
        long calls = calls();
        var goOn = new CompletableFuture<Boolean>();
        var forced = new CompletableFuture<Boolean>();
        operator.link.run(() -> {
            operator.backend.forceRelease("name").subscribe().with(forced::complete, forced::completeExceptionally);
            operator.link.run(() -> Jvm.get(goOn)); // after the first request, before its reply
        });
        Await.until("the first request was run", SOON, () -> calls() > calls);
        holder.release(first);
        Grant second = holder.grant("name");
        goOn.complete(true);
        assertThat(Jvm.get(forced)).as("there was a holder").isTrue();
        assertThat(holder.renew(second).renewed()).hasSize(1);
    }

    private long calls() {
        return Long.parseLong(String.valueOf(store.redis.info("cmdstat_evalsha")).replaceAll("calls=(\\d+),.*", "$1"));
    }

    private void isTold(LockOptions options) {
        LockManager holder = locks();
        assertThat(holder.inspect("name")).isEmpty();
        LockHandle hold = holder.lock("name", options).acquire();
        LockManager operator = locks();
        assertThat(operator.forceRelease("name")).isTrue();
        assertThat(hold.lost().toCompletableFuture()).succeedsWithin(SOON);
        try (LockHandle next = operator.lock("name").acquire()) {
            assertThat(hold.isValid()).isFalse();
            assertThat(next.isValid()).isTrue();
        }
        hold.close();
    }
}
