package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.proxy.Mode;

/** Several processes are restored from one checkpoint. */
class RestoredConnectionsTest extends RedisTest {

    @Test
    @Fault(502)
    void fault502_eachRestoredCopyUsesItsOwnChannel() {
        Jvm holder = jvm();
        Jvm copy = jvm().listening();
        copy.time.timers = false; // it never polls
        String shared = copy.link.channel();
        copy.backend.beforeCheckpoint();
        copy.backend.afterRestore();
        Await.until("it listens to another one", SOON, () -> copy.link.listens() && !copy.link.channel().equals(shared));
        assertThat(store.redis.command("PUBSUB", "NUMSUB", shared)).isEqualTo(List.of(shared, 0L));
        Grant first = holder.grant("name");
        Jvm.Waiting waiting = copy.claim("name");
        awaitQueued(waiting);
        assertThat(store.part("w:" + waiting.claim.token(), 3)).isEqualTo(copy.link.channel());
        holder.release(first);
        waiting.grant();
    }

    @Test
    @Fault(502)
    void fault502_connectionsOfCheckpointAreNotReused() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm copy = jvm("redis://" + proxy.host() + ":" + proxy.port(), Jvm.timeout(Duration.ofMinutes(10))).listening();
            copy.release(copy.grant("name"));
            copy.backend.beforeCheckpoint();
            proxy.connections().forEach(each -> each.mode(Mode.BLACKHOLE));
            copy.backend.afterRestore();
            copy.release(copy.grant("name"));
        }
    }
}
