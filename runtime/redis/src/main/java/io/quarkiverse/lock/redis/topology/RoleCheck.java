package io.quarkiverse.lock.redis.topology;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.quarkiverse.lock.redis.connection.CommandConnection;
import io.quarkiverse.lock.redis.connection.EventLoop;
import io.quarkiverse.lock.redis.connection.ServerRole;
import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Asks every few seconds, over each connection for commands, whether its server still is a master. So a connection that died
 * silently while nobody needed it is replaced too: it has no reply in time. Event loop only.
 */
final class RoleCheck {

    static final long PERIOD = TimeUnit.SECONDS.toNanos(5);

    private final EventLoop loop;
    private final Supplier<List<CommandConnection>> connections;
    private final Consumer<RedisFailure> leave;
    private final Runnable furtherCheck;
    private boolean running;

    /**
     * @param leave called when a server is not a master, with what it says
     * @param furtherCheck what else to check each time
     */
    RoleCheck(EventLoop loop, Supplier<List<CommandConnection>> connections, Consumer<RedisFailure> leave,
            Runnable furtherCheck) {
        this.loop = loop;
        this.connections = connections;
        this.leave = leave;
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
            List<CommandConnection> live = connections.get().stream().filter(each -> each.wire() != null).toList();
            live.forEach(each -> each.send(new Ask()));
            if (!live.isEmpty()) {
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
                leave.accept(replica);
            }
        }

        @Override
        public void failed(RedisFailure failure) {
            // A server that does not know the question refuses writes when it is a replica.
        }
    }
}
