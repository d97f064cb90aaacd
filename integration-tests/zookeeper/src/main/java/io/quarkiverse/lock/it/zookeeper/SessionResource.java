package io.quarkiverse.lock.it.zookeeper;

import java.util.HexFormat;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;

/** What a test needs to end the session of this application. */
@Path("/session")
public class SessionResource {

    public record Session(String id, String password, int timeoutMillis) {
    }

    private final CuratorFramework client;

    SessionResource(CuratorFramework client) {
        this.client = client;
    }

    @GET
    public Session session() throws Exception {
        ZooKeeper zooKeeper = client.getZookeeperClient().getZooKeeper();
        return new Session(Long.toHexString(zooKeeper.getSessionId()), HexFormat.of().formatHex(zooKeeper.getSessionPasswd()),
                zooKeeper.getSessionTimeout());
    }
}
