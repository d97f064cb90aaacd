package io.quarkiverse.lock.redis.topology;

import java.util.concurrent.TimeUnit;

import io.quarkiverse.lock.redis.connection.EventLoop;
import io.quarkiverse.lock.redis.connection.ServerRole;
import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Asks the server every few seconds whether it still is a master, and leaves one that is not. Event loop only.
 */
final class RoleCheck {

    static final long PERIOD = TimeUnit.SECONDS.toNanos(5);

    private final EventLoop loop;
    private final SingleServer server;
    private final MasterConnections connections;
    private final Runnable furtherCheck;
    private boolean running;

    /** @param furtherCheck what else to check each time */
    RoleCheck(EventLoop loop, SingleServer server, MasterConnections connections, Runnable furtherCheck) {
        this.loop = loop;
        this.server = server;
        this.connections = connections;
        this.furtherCheck = furtherCheck;
    }

    void start() {
        if (!running) {
            running = true;
            loop.after(PERIOD, this::ask);
        }
    }

    void stop() {
        running = false;
    }

    private void ask() {
        if (running) {
            loop.after(PERIOD, this::ask);
            if (server.up()) {
                server.send(new Ask());
                furtherCheck.run();
            }
        }
    }

    private final class Ask extends Call {

        @Override
        public Request request() {
            return ServerRole.question();
        }

        @Override
        public void answered(Response reply) {
            RedisFailure replica = ServerRole.refusal(reply);
            if (replica != null) {
                connections.leave(replica);
            }
        }

        @Override
        public void failed(RedisFailure failure) {
            // A server that does not know the question refuses writes when it is a replica.
        }
    }
}
