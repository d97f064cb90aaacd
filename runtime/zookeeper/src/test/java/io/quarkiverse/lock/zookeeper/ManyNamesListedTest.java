package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;

import org.apache.zookeeper.AsyncCallback.StringCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.spi.LockEvent;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkiverse.lock.zookeeper.query.Listing;

/** A list with more names than fit into one reply is refused, and costs no held lock. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ManyNamesListedTest extends ZooKeeperTest {

    private final Set<LockEvent.Kind> events = java.util.concurrent.ConcurrentHashMap.newKeySet();

    @Test
    void tooManyNamesAreRejectedWithTheLimit() throws Exception {
        refusesAbove(20);
    }

    @Test
    @FullBuild
    void onlyUpToTenThousandNamesAreListed() throws Exception {
        refusesAbove(Listing.MOST_NAMES);
    }

    @Test
    @FullBuild
    void hundredThousandNamesAreRejected() throws Exception {
        LockManager locks = locks(Listing.MOST_NAMES);
        LockHandle hold = locks.lock("held").acquire();
        hold(0, 100_000);
        assertThatThrownBy(() -> locks.list(LockQuery.ALL)).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("100001 names").hasMessageContaining("at most 10000");
        assertUntouched(hold);
    }

    /** A reply that is too large ends only the connection of the list. */
    @Test
    void oversizedReplyCostsNoLock() throws Exception {
        LockManager locks = locks(Listing.MOST_NAMES);
        LockHandle hold = locks.lock("held").acquire();
        ZooKeeper zk = store.getZookeeperClient().getZooKeeper();
        String name = "%C3%A4".repeat(1024); // the longest possible, two bytes for each of its characters
        int count = 1024 * 1024 / name.length() + 10;
        for (int i = 0; i < count; i++) {
            zk.create(root + '/' + name.substring(0, name.length() - 24) + i, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE,
                    CreateMode.PERSISTENT);
        }
        assertThatThrownBy(() -> locks.list(LockQuery.ALL)).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("jute.maxbuffer");
        assertUntouched(hold);
    }

    /** Missing access rights hide one name, not all. */
    @Test
    void unreadableContainerIsSkippedAndLoggedOnce() throws Exception {
        LockManager locks = locks(Listing.MOST_NAMES);
        LockHandle hold = locks.lock("held").acquire();
        ZooKeeper zk = store.getZookeeperClient().getZooKeeper();
        List<ACL> unread = Collections.singletonList(
                new ACL(ZooDefs.Perms.ALL & ~ZooDefs.Perms.READ, ZooDefs.Ids.ANYONE_ID_UNSAFE));
        zk.create(root + "/hidden", new byte[0], unread, CreateMode.PERSISTENT);
        zk.create(root + "/half", new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        zk.create(root + "/half/_c_11111111-2222-3333-4444-555555555555-__WRIT__", new byte[0], unread,
                CreateMode.EPHEMERAL_SEQUENTIAL);
        try (var log = LogLines.warnings(ZooKeeperLockBackend.class.getPackageName())) {
            for (int i = 0; i < 2; i++) {
                LockQuery.Page page = locks.list(LockQuery.ALL);
                assertThat(page.locks()).extracting(LockInfo::name).containsExactly("held");
                assertThat(page.next()).isEmpty();
            }
            assertThat(log.messages()).filteredOn(message -> message.contains("left out")).singleElement().asString()
                    .contains("does not allow");
        }
        assertUntouched(hold);
    }

    private void refusesAbove(int most) throws Exception {
        LockManager locks = locks(most);
        LockHandle hold = locks.lock("held").acquire();
        hold(0, most - 1);
        Set<String> names = new HashSet<>();
        Optional<LockQuery> query = Optional.of(LockQuery.ALL.withPageSize(Math.min(most / 2, LockQuery.MAX_PAGE_SIZE)));
        while (query.isPresent()) {
            LockQuery.Page page = locks.list(query.get());
            page.locks().forEach(lock -> names.add(lock.name()));
            query = page.next();
        }
        assertThat(names).hasSize(most).contains("held", "many-0");
        hold(most, 1);
        assertThatThrownBy(() -> locks.list(LockQuery.ALL)).isInstanceOf(LockBackendException.class)
                .hasMessageContaining(most + 1 + " names").hasMessageContaining("at most " + most);
        assertUntouched(hold);
    }

    private void assertUntouched(LockHandle hold) {
        assertThat(hold.isValid()).isTrue();
        assertThat(events).doesNotContain(LockEvent.Kind.LOST, LockEvent.Kind.SUSPECT);
        hold.close();
    }

    private LockManager locks(int most) {
        LockEngine engine = opened(LockEngine.builder(new ZooKeeperLockBackend(client(LONG_SESSION),
                options().withOperationTimeout(SOON), "somebody", () -> {
                }, zk -> {
                }, most)).listener(event -> events.add(event.kind())).start());
        return engine.manager(ManagerDefaults.STANDARD);
    }

    /** Creates names with a holder each, as another session would. */
    private void hold(int from, int count) throws Exception {
        ZooKeeper zk = store.getZookeeperClient().getZooKeeper();
        var underWay = new Semaphore(500);
        StringCallback done = (rc, path, ctx, name) -> {
            if (ctx != null) {
                underWay.release();
            }
        };
        for (int i = from; i < from + count; i++) {
            underWay.acquire();
            String container = root + "/many-" + i;
            zk.create(container, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER, done, null);
            zk.create(container + "/_c_11111111-2222-3333-4444-555555555555-__WRIT__", new byte[0],
                    ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL, done, this);
        }
        underWay.acquire(500);
    }
}
