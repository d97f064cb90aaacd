package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.redis.claim.PendingClaim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.faults.RemoteJvm;

/** The first waiter is dead or does not answer. */
class DeadWaiterTest extends RedisTest {

    /** How long the server keeps a pushed grant for a waiter that does not confirm it. */
    private static final Duration CLAIM_LEASE = Duration.ofNanos(PendingClaim.CLAIM_LEASE);

    @Test
    @Fault(35)
    void fault35_releaseSkipsKilledWaiter() {
        Duration bound = CLAIM_LEASE.dividedBy(3);
        Duration best = passOver();
        // The release alone grants the lock; only an idle machine shows that this takes no longer
        for (int i = 0; i < 5 && best.compareTo(bound) > 0; i++) {
            best = passOver();
        }
        assertThat(best).isLessThanOrEqualTo(bound);
    }

    private Duration passOver() {
        Jvm holder = jvm();
        Jvm second = jvm();
        Grant held = holder.grant("name");
        RemoteJvm killed = child("first");
        putFirstInLine(killed);
        Jvm.Waiting waiting = second.claim("name");
        awaitQueued(waiting);
        second.time.timers = false; // from here on, it depends on messages
        int listening = channels();
        killed.child().kill();
        Await.until("the server knows that it is gone", SOON, () -> channels() == listening - 1);
        long released = System.nanoTime();
        holder.release(held);
        Grant granted = waiting.grant();
        Duration took = Duration.ofNanos(System.nanoTime() - released);
        second.release(granted);
        store.redis.command("DEL", Store.KEY);
        return took;
    }

    @Test
    @Fault(36)
    void fault36_frozenWaiterIsSkippedAfterClaimLease() {
        Jvm holder = jvm();
        Jvm second = jvm();
        Grant held = holder.grant("name");
        RemoteJvm frozen = child("first");
        var later = putFirstInLine(frozen);
        Jvm.Waiting waiting = second.claim("name");
        awaitQueued(waiting);
        frozen.child().pause();
        long released = System.nanoTime();
        holder.release(held);
        Grant granted = waiting.grant();
        assertThat(Duration.ofNanos(System.nanoTime() - released))
                .isBetween(CLAIM_LEASE.minusMillis(500), CLAIM_LEASE.plusSeconds(8));
        frozen.child().resume();
        // Its pushed grant has expired; it must not consider itself the holder
        Await.during("it waits on", Duration.ofMillis(700), () -> frozen.held() == 0);
        assertThat(second.renew(granted).renewed()).hasSize(1);
        second.release(granted);
        assertThat(Jvm.get(later)).isGreaterThan(granted.fence() * 1024);
        assertThat(frozen.isValid("name")).isTrue();
    }

    private CompletableFuture<Long> putFirstInLine(RemoteJvm jvm) {
        var later = jvm.acquireLater("name", Jvm.LEASE, Duration.ofSeconds(60));
        Await.until("it is first in line", SOON, () -> store.hash().entrySet().stream()
                .anyMatch(field -> field.getKey().startsWith("w:") && !field.getValue().split("\\|", -1)[3].isEmpty()));
        return later;
    }

    private int channels() {
        return store.redis.list("PUBSUB", "CHANNELS", "lock:1:jvm:*").size();
    }

}
