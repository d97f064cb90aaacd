package io.quarkiverse.lock.redis.quorum;

import java.time.Duration;
import java.util.List;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.redis.quorum.QuorumCluster.Address;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.RedisServer;

/** Stands for a separate JVM, with a proxy in front of each server. */
final class QuorumJvm implements AutoCloseable {

    final List<FaultProxy> links;
    final QuorumLockBackend backend;
    private final LockEngine engine;
    private final Duration lease;

    QuorumJvm(QuorumCluster cluster, Duration longestLease, Duration lease, String owner) {
        this(cluster, QuorumCluster.options(longestLease), lease, owner);
    }

    QuorumJvm(QuorumCluster cluster, QuorumOptions options, Duration lease, String owner) {
        this.lease = lease;
        links = cluster.servers().stream().map(QuorumJvm::link).toList();
        backend = QuorumCluster.backend(links.stream().map(each -> new Address(each.host(), each.port())).toList(),
                options, "test", owner);
        engine = LockEngine.builder(backend).start();
    }

    private static FaultProxy link(RedisServer server) {
        return FaultProxy.to(server.host(), server.port());
    }

    DistributedLock lock(String name) {
        return engine.manager(ManagerDefaults.STANDARD).lock(name, LockOptions.DEFAULTS.withLease(lease));
    }

    @Override
    public void close() {
        engine.close();
        links.forEach(FaultProxy::close);
    }
}
