package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.contract.Scale;
import io.quarkiverse.lock.testkit.faults.RemoteJvm;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.RedisServer;

/** All JVMs lose the server and reconnect at the same time. */
class ReconnectStormTest extends RedisTest {

    @BeforeAll
    static void startServerThatKeepsItsData() {
        server.close();
        server = RedisServer.start("appendonly yes", "appendfsync everysec");
    }

    @Test
    @Fault(39)
    void fault39_waitersOfManyJvmsReconnectWithoutStorm() {
        int jvms = Scale.times(4, 2);
        int each = Scale.times(200, 50);
        LockManager holder = locks();
        List<LockHandle> holds = new ArrayList<>();
        for (int i = 0; i < each; i++) {
            holds.add(holder.lock("name-" + i, LockOptions.DEFAULTS.withLease(Duration.ofMinutes(1))).acquire());
        }
        List<RemoteJvm> children = new ArrayList<>();
        for (int i = 0; i < jvms; i++) {
            RemoteJvm child = child("jvm-" + i);
            child.waitForMany("name-", each, Duration.ofMinutes(2));
            children.add(child);
        }
        Await.until("all wait", Duration.ofSeconds(30), () -> waiters() == jvms * each);
        long restarted = System.nanoTime();
        server.restart();
        reopenStore();
        Await.during("the locks are held", Duration.ofSeconds(4), () -> holds.stream().allMatch(LockHandle::isValid));
        long calls = calls();
        Duration time = Duration.ofNanos(System.nanoTime() - restarted);
        // Each waiter polls once a second anyway, and once more after each reconnection and resubscription
        long allowed = (time.toSeconds() + 4) * jvms * each;
        assertThat(calls).as("script calls within %s", time).isLessThan(allowed);
        assertThat(Long.parseLong(store.redis.info("total_connections_received"))).as("connections of %s JVMs", jvms + 1)
                .isLessThan((time.toSeconds() + 1) * (jvms + 1) + 5);
        Await.until("all have come back", SOON, () -> waiters() == jvms * each);
        holds.forEach(LockHandle::close);
        Await.until("every waiter had its turn", Duration.ofSeconds(60),
                () -> children.stream().mapToInt(RemoteJvm::granted).sum() == jvms * each);
    }

    @Test
    @Fault(39)
    void fault39_unreachableServerIsNotHammered() {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            Jvm jvm = jvm("redis://" + proxy.host() + ":" + proxy.port(), RedisLockOptions.STANDARD);
            jvm.release(jvm.grant("name"));
            int before = proxy.accepted();
            proxy.reset();
            Jvm.Waiting waiting = jvm.claim("name");
            Await.during("it waits", Duration.ofSeconds(3), () -> !waiting.answer.isDone());
            // On average seven, with pauses that double from 50 ms
            assertThat(proxy.accepted() - before).isBetween(1, 40);
            proxy.pass();
            waiting.grant();
        }
    }

    @Test
    @Fault(66)
    void fault66_manyHeldLocksAreRecheckedInFewCalls() {
        int count = Scale.times(1_000, 600);
        LockManager locks = locks();
        List<LockHandle> holds = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            holds.add(locks.lock("name-" + i, LockOptions.DEFAULTS.withLease(Duration.ofMinutes(1))).acquire());
        }
        server.restart();
        reopenStore();
        Await.until("all have been checked", SOON, () -> calls() >= 2);
        Await.during("they are held", Duration.ofSeconds(3), () -> holds.stream().allMatch(LockHandle::isValid));
        // Each call renews up to 250; a lost and a new connection each trigger renewals, in parts
        assertThat(calls()).as("script calls for %s locks", count).isLessThan(count / 20);
        holds.forEach(LockHandle::close);
    }

    private int waiters() {
        int all = 0;
        for (String key : store.redis.keys("lock:1:{test:name-*")) {
            all += (int) store.redis.list("HKEYS", key).stream().filter(field -> field.startsWith("w:")).count();
        }
        return all;
    }

    private long calls() {
        return calls("evalsha") + calls("eval");
    }

    private long calls(String command) {
        String stat = store.redis.info("cmdstat_" + command);
        return stat == null ? 0 : Long.parseLong(stat.replaceAll("calls=(\\d+),.*", "$1"));
    }

}
