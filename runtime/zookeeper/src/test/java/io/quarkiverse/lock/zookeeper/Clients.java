package io.quarkiverse.lock.zookeeper;

import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

/** Curator's clients as the tests want them. */
final class Clients {

    private Clients() {
    }

    static CuratorFramework started(String connectString, Duration session) {
        return started(builder(connectString, session));
    }

    static CuratorFramework started(String connectString, Duration session, String scheme, byte[] credentials) {
        return started(builder(connectString, session).authorization(scheme, credentials));
    }

    private static CuratorFrameworkFactory.Builder builder(String connectString, Duration session) {
        return CuratorFrameworkFactory.builder()
                .connectString(connectString)
                .sessionTimeoutMs((int) session.toMillis())
                .connectionTimeoutMs(5_000)
                .retryPolicy(new RetryOneTime(100))
                .ensembleTracker(false);
    }

    private static CuratorFramework started(CuratorFrameworkFactory.Builder builder) {
        CuratorFramework client = builder.build();
        client.start();
        return client;
    }
}
