package io.quarkiverse.lock.zookeeper.runtime;

import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;

import io.quarkus.arc.DefaultBean;

/**
 * The {@link CuratorFramework} of an application that has none of its own. It is made when first used, connects in the
 * background, and is closed by the lock backend, if there is one: a lock whose holder still runs at shutdown keeps its session,
 * and so its lease.
 */
@Singleton
public class ZooKeeperClientProducer {

    private final ZooKeeperLockConfig config;
    private final OtherExtensions extensions;
    private @Nullable Identity identity;
    private volatile boolean inUse;

    ZooKeeperClientProducer(ZooKeeperLockConfig config, Instance<CredentialsSource> credentials, Instance<TlsSource> tls) {
        this.config = config;
        this.extensions = OtherExtensions.of(credentials, tls);
    }

    @Produces
    @Singleton
    @DefaultBean
    CuratorFramework connect() {
        CuratorFramework client = ConfiguredClient.of(config, identity(), extensions);
        client.start();
        return client;
    }

    /** If locks are switched off, nobody else closes it. */
    void close(@Disposes CuratorFramework client) {
        if (!inUse) {
            client.close();
        }
    }

    /** One for all clients, so that the others have what one of them was told. */
    synchronized Identity identity() {
        Identity known = identity;
        if (known == null) {
            known = Identity.of(config, extensions.credentials());
            identity = known;
        }
        return known;
    }

    boolean hasCertificate() {
        return Transport.hasCertificate(config, extensions);
    }

    /** The caller closes the client. */
    void inUse() {
        inUse = true;
    }
}
