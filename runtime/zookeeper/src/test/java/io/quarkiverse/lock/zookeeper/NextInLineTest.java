package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;

/**
 * A JVM with only one node before its own holds the lock as soon as it is notified that this node has gone: without another
 * list, where nothing else is possible.
 */
class NextInLineTest extends ZooKeeperTest {

    private static final String NAME = "order-42";
    /** The tokens of recipes are random UUIDs, which have a version. */
    private static final long VERSION_4 = 0x1234_5678_9abc_4defL;
    private static final long VARIANT = 0x8765_4321_0fed_cba9L;

    /** A claim that has listed, and has not yet read the node before it. */
    private static Jvm.Waiting aboutToWatch(Asking asking, ZooKeeperGrant before) {
        asking.requests.hold(request -> request.endsWith(before.path()));
        Jvm.Waiting waiting = asking.jvm.claim(NAME);
        Await.until("it is about to watch", SOON, asking.requests::holdsSome);
        return waiting;
    }

    @Test
    void predecessorGoneBeforeTheWatchNeedsNoList() {
        Jvm holder = jvm();
        ZooKeeperGrant held = holder.grant(NAME);
        Asking next = recorded();
        var waiting = aboutToWatch(next, held);
        holder.release(held);
        next.requests.letGo();
        ZooKeeperGrant granted = waiting.grant();
        assertThat(next.asked(NAME)).containsExactly("create", "getChildren", "watchData", "watchData");
        next.jvm.release(granted);
    }

    @Test
    @Fault(193)
    void fault193_nodeDeletedBeforeTheWatchIsRecreated() {
        Jvm holder = jvm();
        ZooKeeperGrant held = holder.grant(NAME);
        Asking next = recorded();
        var waiting = aboutToWatch(next, held);
        String node = nodeBehind(held);
        Await.until("its own node is watched", SOON, () -> next.requests.count("watchData") == 2);
        next.jvm.release(next.jvm.grant("first")); // its reply comes after that of the watch
        deleteNode(root + '/' + NAME + '/' + node);
        holder.release(held);
        next.requests.letGo();
        ZooKeeperGrant granted = waiting.grant();
        assertThat(granted.node()).isNotEqualTo(node);
        assertThat(nodes(NAME)).containsExactly(granted.node());
        next.jvm.release(granted);
    }

    /** The events of a new connection come in any order, so there are several names. */
    @Test
    @Fault(347)
    void fault347_nodeDeletedDuringADisconnectionIsRecreated() {
        List<String> names = List.of("a", "b", "c", "d", "e", "f", "g", "h");
        Jvm holder = jvm();
        List<ZooKeeperGrant> held = names.stream().map(holder::grant).toList();
        FaultProxy proxy = proxy();
        Jvm next = jvm(proxy, LONG_SESSION);
        List<Jvm.Waiting> waiting = names.stream().map(next::claim).toList();
        waiting.forEach(each -> Await.until("it waits", SOON, () -> each.claim.taken()));
        proxy.down();
        names.forEach(name -> nodes(name).forEach(node -> deleteNode(root + '/' + name + '/' + node)));
        proxy.accept();
        for (Jvm.Waiting each : waiting) {
            ZooKeeperGrant granted = each.grant();
            assertThat(nodes(granted.name())).containsExactly(granted.node());
            assertThat(next.renew(granted).renewed()).hasSize(1);
            next.release(granted);
        }
        Await.until("the holder has heard", SOON, () -> holder.told.lost.keySet().containsAll(held));
    }

    /** It may have been made by a recipe, whose holder can come back as a reader. */
    @Test
    void waiterBehindARecipeLikeNodeListsAgain() {
        Jvm holder = jvm();
        ZooKeeperGrant held = holder
                .claim(new Claim(NAME, VERSION_4, VARIANT, LockMode.EXCLUSIVE, 0, Jvm.LEASE.toNanos(), true)).grant();
        Asking next = recorded();
        var waiting = waiting(next, NAME, 1);
        holder.release(held);
        ZooKeeperGrant granted = waiting.grant();
        assertThat(next.asked(NAME)).containsExactly("create", "getChildren", "watchData", "getChildren");
        next.jvm.release(granted);
    }

    @Test
    @Fault(346)
    void fault346_waiterBehindARecipeWriterAlsoWaitsForItsReadLock() throws Exception {
        var recipe = new InterProcessReadWriteLock(client(LONG_SESSION), root + '/' + NAME);
        recipe.writeLock().acquire();
        Asking next = recorded();
        var waiting = waiting(next, NAME, 1);
        recipe.readLock().acquire();
        recipe.writeLock().release();
        Await.until("it waits for the reader, or is in", SOON, () -> waiting.answer.isDone() || next.requests.sent().stream()
                .anyMatch(each -> each.startsWith("watchData") && each.contains("__READ__")));
        assertThat(waiting.answer).as("while the recipe reads").isNotDone();
        recipe.readLock().release();
        next.jvm.release(waiting.grant());
    }

    @Test
    void readerBehindAWriterNeedsNoList() {
        Jvm holder = jvm();
        ZooKeeperGrant held = holder.grant(NAME);
        Asking next = recorded();
        var reader = waiting(next, Jvm.newClaim(NAME, LockMode.SHARED, true), 1);
        var another = recorded();
        var readsToo = waiting(another, Jvm.newClaim(NAME, LockMode.SHARED, true), 2);
        holder.release(held);
        ZooKeeperGrant read = reader.grant();
        ZooKeeperGrant readToo = readsToo.grant();
        Await.until("it has looked for waiters", SOON, () -> Boolean.FALSE.equals(next.jvm.told.waiters.get(read)));
        assertThat(next.asked(NAME)).filteredOn("getChildren"::equals).as("before it waited, and for waiters").hasSize(2);
        next.jvm.release(read);
        another.jvm.release(readToo);
    }

    /** If their session ended, both nodes would go, and the events might come in any order. */
    @Test
    void waiterBehindItsOwnSessionsNodeListsAgain() {
        Asking next = recorded();
        ZooKeeperGrant held = next.jvm.grant(NAME);
        var waiting = waiting(next, NAME, 1);
        long before = next.asked(NAME).stream().filter("getChildren"::equals).count();
        next.jvm.release(held);
        next.jvm.release(waiting.grant());
        assertThat(next.asked(NAME).stream().filter("getChildren"::equals).count()).isGreaterThan(before);
    }

    @Test
    void waiterMovesUpWhenItsPredecessorGivesUp() {
        Jvm holder = jvm();
        ZooKeeperGrant held = holder.grant(NAME);
        var first = waiting(recorded(), NAME, 1);
        Asking second = recorded();
        var next = waiting(second, NAME, 2);
        first.cancel();
        Await.until("it watches the holder", SOON, () -> second.requests.sent().contains("watchData " + held.path()));
        second.jvm.release(second.jvm.grant("first")); // its reply comes later
        assertThat(next.answer).isNotDone();
        holder.release(held);
        ZooKeeperGrant granted = next.grant();
        assertThat(second.asked(NAME)).filteredOn(each -> !each.equals("getData"))
                .containsExactly("create", "getChildren", "watchData", "getChildren", "watchData", "watchData");
        second.jvm.release(granted);
    }

    /** Its own node changes, and so does the one before it: both only make it look again. */
    @Test
    void dataChangesInNodesGrantNothing() throws Exception {
        Jvm holder = jvm();
        ZooKeeperGrant held = holder.grant(NAME);
        Asking next = recorded();
        var waiting = waiting(next, NAME, 1);
        String own = root + '/' + NAME + '/' + nodeBehind(held);
        assertThat(Jvm.get(next.jvm.backend.waitNotes().note(waiting.claim, "a note"))).isTrue();
        assertThat(Jvm.get(jvm().backend.requestRelease(NAME))).isTrue();
        Await.until("it has read both again", SOON, () -> next.requests.sent().stream()
                .filter(each -> each.equals("watchData " + own) || each.equals("watchData " + held.path())).count() == 4);
        assertThat(waiting.answer).isNotDone();
        holder.release(held);
        ZooKeeperGrant granted = waiting.grant();
        assertThat(next.jvm.renew(granted).renewed()).hasSize(1);
        next.jvm.release(granted);
    }

    @Test
    void forcedReleaseNotifiesEachHolderInTurn() {
        Jvm holder = jvm();
        ZooKeeperGrant held = holder.grant(NAME);
        Asking next = recorded();
        var waiting = waiting(next, NAME, 1);
        Jvm operator = jvm();
        assertThat(Jvm.get(operator.backend.forceRelease(NAME))).isTrue();
        ZooKeeperGrant granted = waiting.grant();
        Await.until("the holder has heard", SOON, () -> holder.told.lost.containsKey(held));
        assertThat(Jvm.get(operator.backend.forceRelease(NAME))).isTrue();
        Await.until("it has heard", SOON, () -> next.jvm.told.lost.containsKey(granted));
        assertThat(next.jvm.told.lost).hasSize(1);
    }

    /** Its list was older than the other's node. */
    @Test
    void laterWaiterIsNoticedWhenTheHolderLingers() {
        Jvm holder = jvm();
        ZooKeeperGrant held = holder.grant(NAME);
        Asking second = recorded();
        var next = waiting(second, NAME, 1);
        var last = waiting(recorded(), NAME, 2);
        holder.release(held);
        ZooKeeperGrant granted = next.grant();
        second.jvm.backend.lingers(granted);
        Await.until("it knows of the waiter", SOON, () -> Boolean.TRUE.equals(second.jvm.told.waiters.get(granted)));
        second.jvm.release(granted);
        last.grant();
    }

    /** Otherwise the lock would never be kept, and no reader would join it. */
    @ParameterizedTest
    @EnumSource
    void waiterThatHasLeftIsForgotten(LockMode mode) {
        Jvm holder = jvm();
        ZooKeeperGrant held = holder.grant(NAME);
        Asking second = recorded();
        var next = waiting(second, Jvm.newClaim(NAME, mode, true), 1);
        var last = waiting(recorded(), NAME, 2);
        assertThat(Jvm.get(jvm().backend.requestRelease(NAME))).isTrue(); // so that it lists
        Await.until("it watches the holder again", SOON, () -> second.requests.sent().stream()
                .filter(each -> each.equals("watchData " + held.path())).count() == 2);
        last.cancel();
        awaitNodes(NAME, 2);
        holder.release(held);
        ZooKeeperGrant granted = next.grant();
        Await.until("it knows", SOON, () -> Boolean.FALSE.equals(second.jvm.told.waiters.get(granted)));
        second.jvm.release(granted);
    }

    @Test
    void lingeringLockGoesToAWaiterAtOnce() {
        Duration linger = Duration.ofSeconds(15);
        LockEngine engine = opened(
                LockEngine.builder(new ZooKeeperLockBackend(client(LONG_SESSION), options(), "lingering")).start());
        LockManager lingering = engine
                .manager(new ManagerDefaults("lingering", SOON, Jvm.LEASE, true, null, OnLost.FAIL, linger));
        Jvm holder = jvm();
        ZooKeeperGrant held = holder.grant(NAME);
        var next = CompletableFuture.supplyAsync(() -> lingering.lock(NAME).acquire(), threads);
        awaitNodes(NAME, 2);
        var last = jvm().claim(NAME);
        awaitNodes(NAME, 3);
        holder.release(held);
        LockHandle hold = Jvm.get(next);
        long before = System.nanoTime();
        hold.close();
        last.grant();
        assertThat(System.nanoTime() - before).isLessThan(linger.toNanos() / 2);
    }
}
