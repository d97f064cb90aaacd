package io.quarkiverse.lock.redis.topology;

import java.util.List;
import java.util.function.Function;

import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;

/**
 * The sentinels, which say which server is the master, and that another one is to replace it.
 *
 * @param master the name that they know it by
 * @param clients one for each of them, which make clients for its own address; called for every new connection, which then owns
 *        the client
 */
public record Sentinels(String master, List<Function<Vertx, Redis>> clients) {

    public Sentinels {
        clients = List.copyOf(clients);
    }
}
