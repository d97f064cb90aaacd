package io.quarkiverse.lock.it.zookeeper;

import java.nio.ByteBuffer;

import jakarta.enterprise.context.ApplicationScoped;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException.NoNodeException;

import io.quarkiverse.lock.it.Counts;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;

/** Through the client that was created for the locks. */
@ApplicationScoped
class ZooKeeperCounts implements Counts {

    private final CuratorFramework client;

    ZooKeeperCounts(CuratorFramework client) {
        this.client = client;
    }

    @Override
    public long read(String id) {
        try {
            return ByteBuffer.wrap(client.getData().forPath(path(id))).getLong();
        } catch (NoNodeException e) {
            return 0;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void write(String id, long count) {
        try {
            client.create().orSetData().creatingParentsIfNeeded().forPath(path(id),
                    ByteBuffer.allocate(Long.BYTES).putLong(count).array());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Uni<Long> readLater(String id) {
        return Uni.createFrom().item(() -> read(id)).runSubscriptionOn(Infrastructure.getDefaultWorkerPool());
    }

    @Override
    public Uni<Void> writeLater(String id, long count) {
        return Uni.createFrom().voidItem().invoke(() -> write(id, count))
                .runSubscriptionOn(Infrastructure.getDefaultWorkerPool());
    }

    private static String path(String id) {
        return "/counts/" + id;
    }
}
