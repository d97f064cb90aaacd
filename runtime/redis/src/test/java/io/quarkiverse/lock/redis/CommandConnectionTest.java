package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.redis.connection.CommandConnection;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.proxy.Mode;

/** The connection for commands is slow, silent, closed or overloaded. */
class CommandConnectionTest extends RedisTest {

    @Test
    @Fault(8)
    void fault08_grantAfterCallerGaveUpIsReleased() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm jvm = jvm("redis://" + proxy.host() + ":" + proxy.port(), RedisLockOptions.STANDARD);
            jvm.release(jvm.grant("name"));
            proxy.delayRequests(Duration.ofMillis(1_500));
            long before = store.fence();
            Jvm.Waiting late = jvm.claim("name");
            Await.until("it is on its way", SOON, () -> proxy.connections().stream()
                    .anyMatch(each -> each.sent().contains(late.claim.token())));
            late.cancel();
            Await.until("it was granted", SOON, () -> store.fence() > before);
            awaitFields("f");
            assertThat(late.answer).isNotDone();
        }
    }

    @Test
    @Fault(28)
    void fault28_idleConnectionsAreReopenedAndLocksRechecked() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm jvm = jvm("redis://" + proxy.host() + ":" + proxy.port(), RedisLockOptions.STANDARD).listening();
            Grant held = jvm.grant("name");
            jvm.time.timers = false;
            int before = proxy.accepted();
            proxy.cut();
            Await.until("both connections are made again", SOON, () -> proxy.accepted() >= before + 2);
            // The connections for messages and for commands each trigger a recheck
            Await.until("all is checked for both", SOON, () -> jvm.told.rechecks.get() >= 2);
            assertThat(jvm.renew(held).renewed()).hasSize(1);
        }
    }

    @Test
    @Fault(37)
    void fault37_silentConnectionIsReplaced() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm jvm = jvm("redis://" + proxy.host() + ":" + proxy.port(), Jvm.timeout(Duration.ofMillis(1_500))).listening();
            jvm.release(jvm.grant("name"));
            int before = proxy.accepted();
            proxy.connections().forEach(each -> each.mode(Mode.BLACKHOLE));
            jvm.claim("name").grant();
            // The connection for messages is silent too, and may have been replaced by now
            assertThat(proxy.accepted()).isBetween(before + 1, before + 2);
        }
    }

    @Test
    @Fault(38)
    void fault38_callsBeyondInFlightLimitAreQueued() {
        Jvm jvm = jvm().listening();
        server.pause();
        var all = new ArrayList<Jvm.Waiting>();
        for (int i = 0; i < 3 * CommandConnection.IN_FLIGHT; i++) {
            all.add(jvm.claim("name-" + i, false));
        }
        server.resume();
        all.forEach(Jvm.Waiting::grant);
        assertThat(jvm.told.rechecks).as("rechecks after a lost connection").hasValue(0);
    }
}
