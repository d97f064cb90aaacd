package io.quarkiverse.lock.zookeeper.runtime;

import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

import org.apache.curator.framework.CuratorFramework;

import io.quarkus.arc.DefaultBean;

/**
 * The {@link CuratorFramework} of an application that has none of its own. It is made when first used, connects in the
 * background, and is closed with the CDI container, which is after the locks have been given back.
 */
@Singleton
public class ZooKeeperClientProducer {

    @Produces
    @Singleton
    @DefaultBean
    CuratorFramework connect(ZooKeeperLockConfig config) {
        CuratorFramework client = Client.of(config);
        client.start();
        return client;
    }

    void close(@Disposes CuratorFramework client) {
        client.close();
    }
}
