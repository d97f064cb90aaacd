package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;

/** The cost of a JVM that waits for many locks. */
class FootprintTest extends ZooKeeperTest {

    private static final int NAMES = 1_000;

    @Test
    void thousandWaitersNeedOneSessionAndNoThreads() throws Exception {
        LockManager holder = locks(client(LONG_SESSION));
        List<LockHandle> held = new ArrayList<>();
        for (int i = 0; i < NAMES; i++) {
            held.add(holder.lock("name-" + i).acquire());
        }
        FaultProxy proxy = proxy();
        CuratorFramework client = opened(Clients.started(proxy.host() + ":" + proxy.port(), LONG_SESSION));
        LockManager waiter = locks(client);
        waiter.lock("warm").acquire().close();
        long stored = connections(); // including those of earlier tests, which may still close
        var before = Thread.getAllStackTraces().keySet();
        var granted = new java.util.concurrent.atomic.AtomicInteger();
        for (int i = 0; i < NAMES; i++) {
            waiter.lock("name-" + i, LockOptions.DEFAULTS.withWaitFor(Duration.ofMinutes(1))).acquireAsync()
                    .invoke(granted::incrementAndGet).chain(LockHandle::release).subscribe().with(ignored -> {
                    }, failure -> {
                    });
        }
        Await.until("all wait", SOON, () -> nodes("name-" + (NAMES - 1)).size() == 2);
        var more = new ArrayList<>(Thread.getAllStackTraces().keySet());
        more.removeAll(before);
        assertThat(more).as("threads for waiters").isEmpty();
        assertThat(proxy.accepted()).as("connections").isEqualTo(1);
        assertThat(connections()).isLessThanOrEqualTo(stored);
        held.forEach(LockHandle::close);
        Await.until(() -> "all are granted, but " + granted, Duration.ofSeconds(60), () -> granted.get() == NAMES);
        awaitNodes("name-" + (NAMES - 1), 0);
    }

    private static long connections() throws Exception {
        try (var socket = new Socket(server.host(), server.port())) {
            socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).lines()
                    .filter(line -> line.startsWith("Connections: ")).mapToLong(line -> Long.parseLong(line.substring(13)))
                    .findFirst().orElseThrow();
        }
    }

    @Test
    void waitersOfOtherJvmsAreReportedOnceContended() throws Exception {
        Jvm jvm = jvm();
        ZooKeeperGrant grant = jvm.grant("order-42");
        jvm.backend.contended(grant);
        Await.until("nobody else waits", SOON, () -> Boolean.FALSE.equals(jvm.told.waiters.get(grant)));
        var waiting = jvm().claim("order-42");
        Await.until("somebody else waits", SOON, () -> jvm.told.waiters.get(grant));
        jvm.release(grant);
        waiting.grant();
    }

    @Test
    void earlierWaitersAreReportedWithTheGrant() {
        Jvm jvm = jvm();
        Jvm second = jvm();
        ZooKeeperGrant grant = jvm.grant("order-42");
        var next = second.claim("order-42");
        awaitNodes("order-42", 2);
        var last = jvm().claim("order-42");
        awaitNodes("order-42", 3);
        jvm.release(grant);
        ZooKeeperGrant granted = next.grant();
        Await.until("it is told", SOON, () -> Boolean.TRUE.equals(second.told.waiters.get(granted)));
        second.release(granted);
        last.grant();
    }
}
