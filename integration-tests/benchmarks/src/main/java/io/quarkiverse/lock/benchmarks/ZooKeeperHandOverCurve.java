package io.quarkiverse.lock.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import org.apache.curator.framework.CuratorFramework;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.zookeeper.ZooKeeperLockBackend;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;

/**
 * Many JVMs, with a session each, want one name: how many requests ZooKeeper gets for each hand-over,
 * pings included.
 */
final class ZooKeeperHandOverCurve implements Curve {

    private static final LockOptions PATIENT = LockOptions.DEFAULTS.withWaitFor(Duration.ofMinutes(5));

    @Override
    public String name() {
        return "zookeeper-hand-over";
    }

    @Override
    public String title() {
        return "One name that many JVMs wait for, on ZooKeeper";
    }

    @Override
    public String across() {
        return "JVMs that wait";
    }

    @Override
    public String up() {
        return "requests per hand-over";
    }

    @Override
    public List<String> sides() {
        return List.of(Bar.OURS, Library.CURATOR.label());
    }

    @Override
    public List<Integer> sizes() {
        return List.of(1, 10, 100);
    }

    @Override
    public double measure(String side, int size, long nanos) {
        List<AutoCloseable> open = new ArrayList<>();
        try (var server = new ZooKeeperProcess(false)) {
            List<Mutex> locks = new ArrayList<>();
            for (int i = 0; i <= size; i++) {
                CuratorFramework client = ZooKeeperProcess.client(server.url());
                locks.add(side.equals(Bar.OURS) ? ours(client, open) : curator(client, open));
            }
            var crowd = new WaitingCrowd(locks);
            crowd.start();
            try {
                LockSupport.parkNanos(nanos / 2 + size * 5_000_000L); // until all of them wait
                long before = ZooKeeperProcess.figure(server.url(), "Received");
                int handOvers = crowd.handOvers();
                LockSupport.parkNanos(nanos);
                return (ZooKeeperProcess.figure(server.url(), "Received") - before) / (double) (crowd.handOvers() - handOvers);
            } finally {
                crowd.end();
                open.forEach(ZooKeeperHandOverCurve::close);
            }
        }
    }

    private static Mutex ours(CuratorFramework client, List<AutoCloseable> open) {
        LockEngine engine = LockEngine.builder(new ZooKeeperLockBackend(client,
                ZooKeeperLockOptions.STANDARD.withRoot("/" + OurLocks.ROOT), "bench", client::close)).start();
        open.add(engine::close);
        LockManager locks = engine.manager(ManagerDefaults.STANDARD);
        locks.lock("first").acquire().close(); // connects
        return new Mutex() {

            private LockHandle handle;

            @Override
            public void lock() {
                handle = locks.lock("hot", PATIENT).acquire();
            }

            @Override
            public void unlock() {
                handle.close();
            }
        };
    }

    private static Mutex curator(CuratorFramework client, List<AutoCloseable> open) {
        open.add(client);
        return CuratorMutexes.mutex(client, "hot");
    }

    private static void close(AutoCloseable each) {
        try {
            each.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
