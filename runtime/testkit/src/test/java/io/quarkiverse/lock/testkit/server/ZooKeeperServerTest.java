package io.quarkiverse.lock.testkit.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Await;

class ZooKeeperServerTest {

    private static final Duration SOON = Duration.ofSeconds(15);

    @Test
    void sessionCanBeExpiredTwice() throws Exception {
        var connected = new CountDownLatch(1);
        try (ZooKeeperServer server = ZooKeeperServer.start();
                var client = new ZooKeeper(server.connectString(), 60_000, event -> {
                    if (event.getState() == KeeperState.SyncConnected) {
                        connected.countDown();
                    }
                })) {
            assertThat(connected.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
            ZooKeeperServer.expire(client, server.connectString());
            ZooKeeperServer.expire(client, server.connectString());
            Await.until("its client has heard of it", SOON, () -> !client.getState().isAlive());
        }
    }
}
