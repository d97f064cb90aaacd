package io.quarkiverse.lock.redis;

import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * One server: the only one, the master that a sentinel names, or a node of a cluster. What replicas have to acknowledge goes
 * over a connection of its own. Event loop only.
 */
final class SingleServer extends CommandRoute {

    private final CommandConnection commands;
    private final @Nullable ReplicaAcks acks;

    SingleServer(EventLoop loop, Function<Vertx, Redis> clients, RedisLockOptions options, CommandConnection.Watcher watcher) {
        commands = new CommandConnection(loop, clients, options.operationTimeout().toNanos(), !options.cluster(), watcher);
        acks = options.replicaAcks() == 0 ? null : new ReplicaAcks(loop, clients, options, watcher);
    }

    @Override
    void open() {
        commands.dial();
        if (acks != null) {
            acks.open();
        }
    }

    @Override
    void send(Call call) {
        if (acks != null && call instanceof ReplicatedCall replicated) {
            acks.send(replicated);
        } else if (acks != null && call.comesFirst()) {
            acks.sendFirst(call);
        } else {
            announce(commands, call);
            commands.send(call);
        }
    }

    /** A node takes a call for a slot that is on its way to it only right behind this word. */
    static void announce(CommandConnection commands, Call call) {
        if (call.behindAsking) {
            call.behindAsking = false;
            commands.send(new Asking());
        }
    }

    List<ReconnectingConnection> lines() {
        return acks == null ? List.of(commands) : List.of(commands, acks.line());
    }

    boolean up() {
        return commands.wire() != null;
    }

    @Override
    void close() {
        commands.close();
        if (acks != null) {
            acks.close();
        }
    }

    private static final class Asking extends Call {

        @Override
        Request request() {
            return Request.cmd(Command.ASKING);
        }

        @Override
        void answered(Response reply) {
        }

        @Override
        void failed(RedisFailure failure) {
            // The call behind it says so.
        }
    }
}
