package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Await;

/** A root that is of no use is looked at again, though nobody wants a lock: what is held already may depend on it. */
class RefusedRootTest extends ZooKeeperTest {

    @Test
    void itIsLookedAtAgainByOneTimerUntilItIsOfUse() throws Exception {
        store.create().forPath(root, "quarkus-lock 2".getBytes(StandardCharsets.UTF_8));
        var user = new User();
        var link = new SessionTracker(client(LONG_SESSION), options(), root, user);
        link.attach();
        for (int i = 0; i < 5; i++) {
            refused(link);
        }
        Await.until("it will be looked at again", SOON, () -> !user.timers.isEmpty());
        user.timers.remove().run();
        Await.until("and again", SOON, () -> !user.timers.isEmpty());
        refused(link);
        assertThat(user.timers).as("one timer at a time").hasSize(1);
        store.setData().forPath(root, "quarkus-lock 1".getBytes(StandardCharsets.UTF_8));
        user.timers.remove().run();
        Await.until("it is of use", SOON, () -> link.usable() != null);
        assertThat(user.timers).isEmpty();
        link.detach();
    }

    private static void refused(SessionTracker link) throws InterruptedException {
        var refused = new CountDownLatch(1);
        link.park(new SessionWaiters.SessionWaiter() {
            @Override
            public void resume() {
                throw new AssertionError("It is of no use");
            }

            @Override
            public void refused(SessionWaiters.Refusal refusal) {
                refused.countDown();
            }
        });
        assertThat(refused.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    /** With timers that run when the test wants. */
    private static final class User implements SessionTracker.User {

        final Queue<Runnable> timers = new ConcurrentLinkedQueue<>();

        @Override
        public void shortened(Session session) {
        }

        @Override
        public void disconnected() {
        }

        @Override
        public void reconnected(Session session) {
        }

        @Override
        public void ended(Session session) {
        }

        @Override
        public void later(long nanos, Runnable task) {
            timers.add(task);
        }
    }
}
