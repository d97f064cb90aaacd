package io.quarkiverse.lock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.apache.curator.framework.CuratorFramework;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Renewal;
import io.smallrye.mutiny.Uni;

/** Locks in ZooKeeper. */
public final class ZooKeeperLockBackend implements LockBackend {

    private final CuratorFramework curator;
    private final ZooKeeperLockOptions options;
    private final String owner;
    private final Runnable atEnd;

    /**
     * @param curator a started client, which stays the caller's; one for all backends of a JVM
     * @param owner describes this JVM to people
     */
    public ZooKeeperLockBackend(CuratorFramework curator, ZooKeeperLockOptions options, String owner) {
        this(curator, options, owner, () -> {
        });
    }

    /** @param atEnd runs when this backend is closed: closes a client that is for this backend alone */
    public ZooKeeperLockBackend(CuratorFramework curator, ZooKeeperLockOptions options, String owner, Runnable atEnd) {
        this.curator = curator;
        this.options = options;
        this.owner = owner;
        this.atEnd = atEnd;
    }

    @Override
    public String name() {
        return "zookeeper";
    }

    @Override
    public void start(BackendListener listener, LockTime time) {
    }

    @Override
    public Uni<Answer> acquire(Claim claim) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Uni<Renewal> renew(List<? extends Grant> grants) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Uni<Void> release(Grant grant) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Uni<Optional<LockInfo>> inspect(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Uni<Boolean> forceRelease(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<Feature> features() {
        return Set.of(Feature.ASYNC);
    }

    @Override
    public Duration operationTimeout() {
        return options.operationTimeout();
    }

    @Override
    public void close() {
        atEnd.run();
    }

    @Override
    public String toString() {
        return "zookeeper:" + options.root() + " of " + owner + " at " + curator;
    }
}
