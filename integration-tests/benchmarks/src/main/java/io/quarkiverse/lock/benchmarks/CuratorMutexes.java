package io.quarkiverse.lock.benchmarks;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/** Curator's {@code InterProcessMutex}, with Curator's defaults. */
final class CuratorMutexes implements Peer {

    private final CuratorFramework client;

    CuratorMutexes(String url) {
        client = ZooKeeperProcess.client(url);
    }

    @Override
    public Mutex mutex(String name) {
        return mutex(client, name);
    }

    static Mutex mutex(CuratorFramework client, String name) {
        var mutex = new InterProcessMutex(client, "/curator/" + name);
        return new Mutex() {

            @Override
            public void lock() {
                try {
                    mutex.acquire();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }

            @Override
            public void unlock() {
                try {
                    mutex.release();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        };
    }

    @Override
    public void close() {
        client.close();
    }
}
