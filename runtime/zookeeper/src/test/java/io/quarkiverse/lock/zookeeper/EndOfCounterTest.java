package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;

/** A parent numbers its children with 31 bits: after the last number, all of them get that same one. */
class EndOfCounterTest extends ZooKeeperTest {

    private static final String NAME = "worn";
    private static final String LAST = String.valueOf(Integer.MAX_VALUE);

    private CountingServer counting;
    private CuratorFramework looking;

    @BeforeEach
    void startCountingServer(@TempDir Path directory) throws Exception {
        counting = new CountingServer(directory);
        looking = opened(Clients.started(counting.connectString(), LONG_SESSION));
    }

    @AfterEach
    void stopCountingServer() throws Exception {
        closeAll();
        counting.close();
    }

    private Jvm jvmThere() {
        return jvm(counting.connectString(), LONG_SESSION);
    }

    private String container() {
        return root + '/' + NAME;
    }

    /** The next node gets that number. */
    private void count(int next) {
        Jvm jvm = jvmThere();
        jvm.release(jvm.grant(NAME)); // makes the container
        awaitThere(0);
        counting.count(container(), next);
    }

    private List<String> there() {
        return children(looking, NAME);
    }

    private void awaitThere(int count) {
        Await.until(() -> count + " nodes, but there are " + there(), SOON, () -> there().size() == count);
    }

    private Jvm.Waiting inLine(Jvm jvm, int before) {
        Jvm.Waiting waiting = jvm.claim(NAME);
        awaitThere(before + 1);
        return waiting;
    }

    private static void awaitWaiting(Jvm jvm) {
        Await.until("it waits", SOON, () -> jvm.backend.parts().waiting().count() > 0);
    }

    @Test
    @Fault(104)
    void fault104_nodesWithEqualNumbersWaitInCreationOrder() {
        count(Integer.MAX_VALUE - 1);
        Jvm first = jvmThere();
        ZooKeeperGrant held = first.grant(NAME);
        Jvm second = jvmThere();
        var next = inLine(second, 1);
        awaitWaiting(second);
        Jvm third = jvmThere();
        var later = inLine(third, 2);
        awaitWaiting(third);
        Jvm fourth = jvmThere();
        var last = inLine(fourth, 3);
        awaitWaiting(fourth);
        assertThat(there()).filteredOn(node -> node.endsWith(LAST)).as("with the same number").hasSize(3);

        first.release(held);
        ZooKeeperGrant afterwards = next.grant();
        assertThat(later.answer).isNotDone();
        assertThat(last.answer).isNotDone();
        second.release(afterwards);
        ZooKeeperGrant afterThat = later.grant();
        assertThat(last.answer).isNotDone();
        assertThat(afterThat.fence()).isGreaterThan(afterwards.fence());
        third.release(afterThat);
        fourth.release(last.grant());
        awaitThere(0);
    }

    @Test
    @Fault(104)
    void fault104_attemptIsBusyAtTheEndOfTheCounter() {
        count(Integer.MAX_VALUE);
        Jvm holder = jvmThere();
        ZooKeeperGrant held = holder.grant(NAME);
        assertThat(jvmThere().ask(NAME)).isInstanceOf(Busy.class);
        awaitThere(1);
        holder.release(held);
    }

    @Test
    @Fault(104)
    void fault104_readersAndLimitsKeepTheirOrderAtTheEndOfTheCounter() {
        count(Integer.MAX_VALUE);
        Jvm reader = jvmThere();
        ZooKeeperGrant read = reader.claim(NAME, LockMode.SHARED, true).grant();
        Jvm another = jvmThere();
        ZooKeeperGrant readToo = another.claim(NAME, LockMode.SHARED, true).grant();
        Jvm writer = jvmThere();
        var writes = inLine(writer, 2);
        awaitWaiting(writer);
        Jvm counted = jvmThere();
        var one = counted.counted(NAME, 2);
        awaitThere(4);
        awaitWaiting(counted);
        Jvm countedToo = jvmThere();
        var two = countedToo.counted(NAME, 2);
        awaitThere(5);
        awaitWaiting(countedToo);

        reader.release(read);
        assertThat(writes.answer).isNotDone();
        another.release(readToo);
        ZooKeeperGrant written = writes.grant();
        assertThat(one.answer).isNotDone();
        assertThat(two.answer).isNotDone();
        writer.release(written);
        counted.release(one.grant());
        countedToo.release(two.grant());
    }

    @Test
    @Fault(104)
    void fault104_inspectionAndForcedReleaseFindTheFirstNode() {
        count(Integer.MAX_VALUE);
        Jvm holder = jvmThere();
        ZooKeeperGrant held = holder.grant(NAME);
        for (int i = 0; i < 5; i++) {
            Jvm waiter = jvmThere();
            inLine(waiter, 1 + i);
            awaitWaiting(waiter);
        }
        LockInfo info = Jvm.get(holder.backend.inspect(NAME)).orElseThrow();
        assertThat(info.holders()).singleElement()
                .satisfies(it -> assertThat(it.fencingToken()).isEqualTo(held.fence() * 1024));
        assertThat(info.waiters()).isEqualTo(5);
        assertThat(Jvm.get(holder.backend.forceRelease(NAME))).isTrue();
        Await.until("its node is gone", SOON, () -> !there().contains(held.node()));
        assertThat(there()).hasSize(5);
    }

    @Test
    @Fault(104)
    void fault104_warnsOnceHalfwayToTheEndAndDeletesTheContainer() throws Exception {
        count((1 << 30) - 1);
        Stat before = looking.checkExists().forPath(container());
        try (var said = LogLines.warnings(ZooKeeperLockBackend.class.getPackageName())) {
            Jvm jvm = jvmThere();
            jvm.release(jvm.grant(NAME));
            assertThat(said.text()).isEmpty();
            assertThat(looking.checkExists().forPath(container()).getCzxid()).isEqualTo(before.getCzxid());
            ZooKeeperGrant first = jvm.grant(NAME);
            Jvm another = jvmThere();
            var next = inLine(another, 1);
            jvm.release(first);
            assertThat(said.text()).contains(container()).contains("1073741824").contains("2147483647");
            assertThat(looking.checkExists().forPath(container()).getCzxid()).as("the next waiter is in it")
                    .isEqualTo(before.getCzxid());
            another.release(next.grant());
            Await.until("the container is given up", SOON, () -> looking.checkExists().forPath(container()) == null);
            ZooKeeperGrant afterwards = jvm.grant(NAME);
            assertThat(afterwards.node()).endsWith("0000000000");
            assertThat(afterwards.fence()).isGreaterThan(first.fence());
            assertThat(said.text().lines().filter(line -> line.contains(container())).count()).as(said.text())
                    .isLessThanOrEqualTo(2); // once by each of the two JVMs
            jvm.release(afterwards);
        }
    }

    @Test
    @Fault(104)
    void fault104_warnsAgainAtTheEndOfTheCounter() {
        count(Integer.MAX_VALUE - 1);
        try (var said = LogLines.warnings(ZooKeeperLockBackend.class.getPackageName())) {
            Jvm holder = jvmThere();
            ZooKeeperGrant held = holder.grant(NAME);
            Jvm waiter = jvmThere();
            var next = inLine(waiter, 1);
            awaitWaiting(waiter);
            assertThat(Set.copyOf(said.text().lines().toList())).hasSize(2);
            holder.release(held);
            waiter.release(next.grant());
        }
    }
}
