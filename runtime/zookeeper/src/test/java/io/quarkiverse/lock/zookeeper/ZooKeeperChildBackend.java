package io.quarkiverse.lock.zookeeper;

import java.time.Duration;
import java.util.List;

import org.apache.curator.framework.CuratorFramework;

import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;

/** The backend of this test's JVM and of its children. */
public final class ZooKeeperChildBackend implements ChildBackend {

    @Override
    public LockBackend backend(String owner, List<String> arguments) {
        return make(arguments.get(0), arguments.get(1), Duration.ofMillis(Long.parseLong(arguments.get(2))), owner);
    }

    static ZooKeeperLockBackend make(String connectString, String root, Duration session, String owner) {
        CuratorFramework client = Clients.started(connectString, session);
        return new ZooKeeperLockBackend(client,
                ZooKeeperLockOptions.STANDARD.withRoot(root).withTickTime(ZooKeeperServer.TICK), owner, client::close);
    }
}
