package org.acme;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

public class CuratorPeer {

    private final InterProcessMutex mutex;

    public CuratorPeer(CuratorFramework client) {
        mutex = new InterProcessMutex(client, "/shop/stock%207"); // <1>
    }

    public void sell(Runnable body) throws Exception {
        mutex.acquire();
        try {
            body.run();
        } finally {
            mutex.release();
        }
    }
}
