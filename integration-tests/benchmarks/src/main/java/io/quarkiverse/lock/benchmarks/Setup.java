package io.quarkiverse.lock.benchmarks;

import io.quarkiverse.lock.testkit.server.RedisServer;

/**
 * The server, and the sizes of the workloads.
 *
 * @param jvms how many compete for one name
 * @param holds how many locks are renewed
 * @param names how many are locked in succession
 */
record Setup(Server server, int jvms, int holds, int names) {

    static Setup full(Server server) {
        return new Setup(server, 4, 100_000, 1_000_000);
    }

    static Setup brief(Server server) {
        return new Setup(server, 2, 2_000, 5_000);
    }

    String url() {
        return server.url();
    }

    RedisServer redis() {
        return ((RedisProcess) server).redis;
    }
}
