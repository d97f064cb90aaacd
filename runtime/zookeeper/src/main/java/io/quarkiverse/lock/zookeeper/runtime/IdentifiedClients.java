package io.quarkiverse.lock.zookeeper.runtime;

import org.apache.curator.utils.DefaultZookeeperFactory;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;

/** Tells each new client who this application is: what keeps the credentials may have changed them since the session before. */
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
