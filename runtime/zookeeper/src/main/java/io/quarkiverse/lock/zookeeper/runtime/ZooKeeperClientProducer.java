package io.quarkiverse.lock.zookeeper.runtime;

import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

import org.apache.curator.framework.CuratorFramework;

import io.quarkus.arc.DefaultBean;

/**
 * The {@link CuratorFramework} of an application that has none of its own. It is made when first used, connects in the
 * background, and is closed by the lock backend: a lock whose holder still runs at shutdown keeps its session, and with that
 * its lease.
 */
@Singleton
public class ZooKeeperClientProducer {

    @Produces
    @Singleton
    @DefaultBean
    CuratorFramework connect(ZooKeeperLockConfig config, Instance<CredentialsSource> credentials, Instance<TlsSource> tls) {
        var extensions = OtherExtensions.of(credentials, tls);
        CuratorFramework client = Client.of(config, Identity.of(config, extensions.credentials()), extensions);
        client.start();
        return client;
    }
}
