package io.quarkiverse.lock.redis;

import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;

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
            Asking.before(call, commands);
            commands.send(call);
        }
    }

    List<ReconnectingConnection> connections() {
        return acks == null ? List.of(commands) : List.of(commands, acks.connection());
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
}
