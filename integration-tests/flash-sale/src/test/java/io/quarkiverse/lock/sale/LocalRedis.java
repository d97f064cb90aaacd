package io.quarkiverse.lock.sale;

import java.io.IOException;

import io.quarkiverse.lock.testkit.server.RedisServer;

/** For {@code ./run}: starts Redis, prints where it is, and ends with its own input. */
public final class LocalRedis {

    private LocalRedis() {
    }

    public static void main(String[] args) throws IOException {
        try (RedisServer redis = RedisServer.start()) {
            System.out.println(redis.url());
            while (System.in.read() >= 0) {
                // Nobody says anything; the end of the input is the end
            }
        }
    }
}
