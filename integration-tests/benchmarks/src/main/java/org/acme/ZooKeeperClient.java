package org.acme;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.eclipse.microprofile.config.inject.ConfigProperty;

public class ZooKeeperClient {

    @Produces
    @ApplicationScoped
    CuratorFramework zooKeeper(@ConfigProperty(name = "zookeeper.servers") String servers) {
        CuratorFramework client = CuratorFrameworkFactory.newClient(servers, new ExponentialBackoffRetry(1000, 3));
        client.start();
        return client;
    }
}
