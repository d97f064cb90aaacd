package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.proxy.Mode;

/** The connection for messages dies, silently or not. */
class SubscriptionTest extends RedisTest {

    @Test
    @Fault(33)
    void fault33_deadSubscriptionIsReplaced() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm holder = jvm();
            Jvm other = jvm("redis://" + proxy.host() + ":" + proxy.port(), Jvm.timeout(Duration.ofMillis(1_500)));
            Grant first = holder.grant("name");
            other.ask("another");
            var commands = proxy.connections().get(0);
            Jvm.Waiting waiting = other.claim("name");
            awaitQueued(waiting);
            int before = proxy.accepted();
            // Only the connection for messages, opened last, falls silent.
            proxy.connections().forEach(each -> {
                if (each != commands) {
                    each.mode(Mode.BLACKHOLE);
                }
            });
            Await.until("there is a new connection", Duration.ofSeconds(30), () -> proxy.accepted() > before);
            awaitQueued(waiting);
            holder.release(first);
            waiting.grant();
        }
    }

    @Test
    @Fault(33)
    void fault33_subscriptionClosedForBacklogIsReplaced() {
        Jvm holder = jvm();
        Jvm other = jvm();
        other.time.timers = false; // it never polls
        Grant first = holder.grant("name");
        Jvm.Waiting waiting = other.claim("name");
        awaitQueued(waiting);
        String channel = store.part("w:" + waiting.claim.token(), 3);
        int before = other.told.rechecks.get();
        store.redis.command("CONFIG", "SET", "client-output-buffer-limit", "pubsub 32kb 32kb 1");
        try {
            store.redis.command("PUBLISH", channel, "x".repeat(1_000_000));
            holder.release(first);
            waiting.grant();
            assertThat(other.told.rechecks.get()).isGreaterThan(before);
        } finally {
            store.redis.command("CONFIG", "SET", "client-output-buffer-limit", "pubsub 32mb 8mb 60");
        }
    }

}
