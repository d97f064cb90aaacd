package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.zookeeper.errors.Refusal;
import io.quarkiverse.lock.zookeeper.session.SessionTracker;
import io.quarkiverse.lock.zookeeper.session.SessionWaiters;
import io.quarkiverse.lock.zookeeper.session.Timers;

/** An unusable root is checked again even if nobody wants a lock: held locks may depend on it. */
class RefusedRootTest extends ZooKeeperTest {

    @Test
    void refusedRootIsRecheckedByOneTimer() throws Exception {
        store.create().forPath(root, "quarkus-lock 2".getBytes(StandardCharsets.UTF_8));
        var time = new ManualTime();
        var sessions = new SessionTracker(client(LONG_SESSION), options(), root,
                new Timers(time, options().operationTimeout()), client -> {
                });
        sessions.attach();
        for (int i = 0; i < 5; i++) {
            refused(sessions);
        }
        Await.until("it will be checked again", SOON, () -> !time.tasks.isEmpty());
        time.tasks.remove().run();
        Await.until("and again", SOON, () -> !time.tasks.isEmpty());
        refused(sessions);
        assertThat(time.tasks).as("one timer at a time").hasSize(1);
        store.setData().forPath(root, "quarkus-lock 1".getBytes(StandardCharsets.UTF_8));
        time.tasks.remove().run();
        Await.until("it can be used", SOON, () -> sessions.usable() != null);
        Await.until("it lets the server hear of it", SOON, () -> !time.tasks.isEmpty());
        assertThat(time.tasks).as("and is not checked any more").hasSize(1);
        sessions.detach();
    }

    private static void refused(SessionTracker sessions) throws InterruptedException {
        var refused = new CountDownLatch(1);
        sessions.park(new SessionWaiters.Waiter() {
            @Override
            public void resume() {
                throw new AssertionError("It cannot be used");
            }

            @Override
            public void refused(Refusal refusal) {
                refused.countDown();
            }
        });
        assertThat(refused.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    /** A clock whose tasks run when the test says so. */
    private static final class ManualTime implements LockTime {

        final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public long wallMillis() {
            return 0;
        }

        @Override
        public Timer schedule(long delayNanos, Runnable task) {
            tasks.add(task);
            return () -> tasks.remove(task);
        }

        @Override
        public void park(Object blocker, long nanos) {
            throw new AssertionError("Nothing waits here");
        }
    }
}
