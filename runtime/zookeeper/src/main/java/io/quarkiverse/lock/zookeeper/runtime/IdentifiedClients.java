package io.quarkiverse.lock.zookeeper.runtime;

import org.apache.curator.utils.DefaultZookeeperFactory;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;

/** Gives each new client the identity of this application: its credentials may have changed since the previous session. */
final class IdentifiedClients extends DefaultZookeeperFactory {

    private final Identity identity;

    IdentifiedClients(Identity identity) {
        this.identity = identity;
    }

    @Override
    public ZooKeeper newZooKeeper(String servers, int sessionTimeout, Watcher watcher, boolean canBeReadOnly,
            ZKClientConfig config) throws Exception {
        ZooKeeper client = super.newZooKeeper(servers, sessionTimeout, watcher, canBeReadOnly, config);
        identity.tell(client::addAuthInfo);
        return client;
    }
}
