package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;
import io.quarkiverse.lock.zookeeper.session.Session;

/** A hand-off from another JVM takes few requests, but all that are needed. */
class HandOverTest extends ZooKeeperTest {

    private static final String NAME = "order-42";
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int TRIES = 50;

    @Test
    void queuedClaimTakesFiveRequests() {
        Jvm holder = jvm();
        ZooKeeperGrant held = holder.grant(NAME);
        List<Asking> all = new ArrayList<>();
        List<Jvm.Waiting> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(recorded());
            waiting.add(waiting(all.get(i), NAME, 1 + i));
        }
        holder.release(held);
        for (int i = 0; i < 4; i++) {
            Asking next = all.get(i);
            ZooKeeperGrant granted = waiting.get(i).grant();
            var asked = new ArrayList<>(next.asked(NAME)); // now: a long hold sends more requests
            asked.remove("getData"); // a long wait asks who holds the lock
            assertThat(asked).containsExactly("create", "getChildren", "watchData", i == 0 ? "watchData" : "getChildren");
            next.jvm.release(granted);
            assertThat(next.asked(NAME)).last().isEqualTo("delete");
        }
    }

    @Test
    @Fault(193)
    void fault193_nodeDeletedBeforeItsTurnIsRecreated() {
        Jvm holder = jvm();
        ZooKeeperGrant held = holder.grant(NAME);
        var next = recorded();
        var waiting = waiting(next, NAME, 1);
        String node = nodeBehind(held);
        deleteNode(root + '/' + NAME + '/' + node);
        holder.release(held);
        ZooKeeperGrant granted = waiting.grant();
        assertThat(granted.node()).isNotEqualTo(node);
        assertThat(nodes(NAME)).containsExactly(granted.node());
        next.jvm.release(granted);
    }

    /**
     * A holder of the recipe's write lock that also takes its read lock gets another node with the same number: ahead of any
     * claim that has arrived since, and has just listed the nodes.
     *
     * @param before whether that node existed when our claim listed
     */
    @ParameterizedTest
    @Fault(346)
    @ValueSource(booleans = { false, true })
    void fault346_recipeDowngradeKeepsOurWriterOut(boolean before) throws Exception {
        var recipe = new InterProcessReadWriteLock(client(LONG_SESSION), root + '/' + NAME);
        recipe.writeLock().acquire();
        if (before) {
            recipe.readLock().acquire();
        }
        var next = recorded();
        next.requests.hold(request -> request.startsWith("watchData"));
        var waiting = next.jvm.claim(NAME);
        Await.until("it has listed, and is about to watch", SOON, next.requests::holdsSome);
        next.jvm.time.aheadNanos -= SECOND; // as if the test took no time
        if (!before) {
            recipe.readLock().acquire();
        }
        recipe.writeLock().release();
        next.requests.letGo();
        Await.until("it waits for the reader, or is in", SOON,
                () -> waiting.answer.isDone() || next.jvm.backend.parts().waiting().count() > 0 && watchesReader(next));
        assertThat(waiting.answer).as("while the recipe reads").isNotDone();
        recipe.readLock().release();
        next.jvm.release(waiting.grant());
    }

    private static boolean watchesReader(Asking asking) {
        return asking.requests.sent().stream().anyMatch(each -> each.startsWith("watchData") && each.contains("__READ__"));
    }

    @Test
    @Fault(194)
    void fault194_sessionConfirmedLongAgoIsReconfirmedFirst() {
        Jvm holder = jvm();
        ZooKeeperGrant held = holder.grant(NAME);
        var next = recorded();
        var waiting = waiting(next, NAME, 1);
        Session session = next.jvm.backend.parts().sessions().usable();
        next.jvm.time.aheadNanos += session.leaseNanos() - Jvm.LEASE.toNanos() * 2 / 3;
        holder.release(held);
        ZooKeeperGrant granted = waiting.grant();
        assertThat(next.asked(NAME)).endsWith("sync", "getChildren");
        assertThat(granted.endsAt() - next.jvm.time.nanoTime()).as("its whole lease")
                .isGreaterThan(Jvm.LEASE.toNanos() * 3 / 4);
        next.jvm.release(granted);
    }

    /** The servers certainly keep its nodes until then, whatever happens to the connection. */
    @Test
    @Fault(194)
    void fault194_unconfirmedGrantEndsWithTheConfirmedLease() {
        Jvm holder = jvm();
        int unconfirmed = 0;
        for (int i = 0; i < TRIES && unconfirmed == 0; i++) {
            ZooKeeperGrant held = holder.grant(NAME);
            var next = recorded(Duration.ofSeconds(15));
            var waiting = next.jvm.claim(NAME);
            long created = next.jvm.time.nanoTime();
            Await.until("it waits", SOON, () -> waiting.claim.taken());
            Session session = next.jvm.backend.parts().sessions().usable();
            assertThat(session.leaseNanos()).as("shorter than the claim's").isLessThan(Jvm.LEASE.toNanos());
            next.jvm.time.aheadNanos += session.leaseNanos() / 12;
            holder.release(held);
            ZooKeeperGrant granted = waiting.grant();
            if (!next.asked(NAME).contains("sync")) {
                unconfirmed++;
                assertThat(granted.endsAt() - created).isLessThanOrEqualTo(session.leaseNanos());
                assertThat(granted.sentAt() + granted.leaseNanos()).isEqualTo(granted.endsAt());
            }
            next.jvm.release(granted);
        }
        assertThat(unconfirmed).isPositive();
    }

    /** The after-loss delay takes most of its lease, so an older confirmation leaves little of it. */
    @Test
    @Fault(194)
    void fault194_grantThatWouldNotLastIsConfirmedAtOnce() {
        Jvm holder = jvm();
        ZooKeeperGrant held = holder.grant(NAME);
        Duration lease = options().lease(LONG_SESSION);
        var next = opened(new Asking(server.connectString(), LONG_SESSION,
                options().withAfterLossDelay(lease.multipliedBy(9).dividedBy(10))));
        var waiting = next.jvm.claim(new Claim(NAME, 1, 2, LockMode.EXCLUSIVE, 0, LONG_SESSION.toNanos(), true));
        awaitNodes(NAME, 2);
        Await.until("it waits", SOON, () -> waiting.claim.taken());
        next.jvm.time.aheadNanos += lease.toNanos() / 12;
        holder.release(held);
        next.jvm.release(waiting.grant());
        assertThat(next.asked(NAME).stream().filter("getChildren"::equals)).as("lists").hasSizeLessThanOrEqualTo(3);
    }

    @Test
    void longWaiterLearnsWhoHoldsTheLock() {
        Jvm holder = jvm();
        ZooKeeperGrant held = holder.grant(NAME);
        var second = recorded();
        var next = waiting(second, NAME, 1);
        var last = waiting(recorded(), NAME, 2);
        assertThat(last.claim.heldBy()).isNull();
        Await.until("it knows", SOON, () -> owner(holder).equals(last.claim.heldBy()));
        holder.release(held);
        second.jvm.release(next.grant());
        last.grant();
    }

    @Test
    void longWaiterLearnsTheNextHolder() {
        Jvm holder = jvm();
        ZooKeeperGrant held = holder.grant(NAME);
        Jvm second = jvm();
        var next = second.claim(NAME);
        awaitNodes(NAME, 2);
        var third = jvm().claim(NAME);
        awaitNodes(NAME, 3);
        var last = jvm().claim(NAME);
        awaitNodes(NAME, 4);
        holder.release(held);
        ZooKeeperGrant granted = next.grant();
        Await.until("it knows", SOON, () -> owner(second).equals(last.claim.heldBy()));
        third.cancel();
        second.release(granted);
        last.grant();
    }

    private static String owner(Jvm jvm) {
        return "jvm " + Integer.toHexString(jvm.hashCode());
    }
}
