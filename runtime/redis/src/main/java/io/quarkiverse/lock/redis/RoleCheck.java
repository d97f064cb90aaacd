package io.quarkiverse.lock.redis;

import java.util.concurrent.TimeUnit;

import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Asks the server every few seconds whether it still is a master, and gives up the connections to one that is not. Event loop
 * only.
 */
final class RoleCheck {

    static final long PERIOD = TimeUnit.SECONDS.toNanos(5);

    private final RedisConnections link;
    private boolean running;

    RoleCheck(RedisConnections link) {
        this.link = link;
    }

    void start() {
        if (!running) {
            running = true;
            link.after(PERIOD, this::ask);
        }
    }

    void stop() {
        running = false;
    }

    private void ask() {
        if (running) {
            link.after(PERIOD, this::ask);
            if (link.connected()) {
                link.send(new Ask());
            }
        }
    }

    private final class Ask extends Call {

        @Override
        Request request() {
            return ServerRole.question();
        }

        @Override
        void answered(Response reply) {
            RedisFailure replica = ServerRole.refusal(reply);
            if (replica != null) {
                link.replace(replica);
            }
        }

        @Override
        void failed(RedisFailure failure) {
            // Where it does not know the question, it refuses writes when it is a replica.
        }
    }
}
