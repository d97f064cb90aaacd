package io.quarkiverse.lock.redis.topology;

import java.util.List;

import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;

/** Makes clients for the nodes of a Redis Cluster, each as if it were a server of its own. */
public interface ClusterClients {

    /** The nodes to ask first for the members of the cluster, as {@code host:port}; at least one. Does not fail. */
    List<String> seeds();

    /**
     * A client for one node; called for every new connection, which then owns the client.
     *
     * @param node {@code host:port}
     */
    Redis client(Vertx vertx, String node);
}
