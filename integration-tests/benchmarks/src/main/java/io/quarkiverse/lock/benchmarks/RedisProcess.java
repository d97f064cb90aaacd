package io.quarkiverse.lock.benchmarks;

import io.quarkiverse.lock.testkit.server.RedisServer;

final class RedisProcess implements Server {

    final RedisServer redis = RedisServer.start();

    @Override
    public String url() {
        return redis.url();
    }

    @Override
    public void close() {
        redis.close();
    }
}
