package io.quarkiverse.lock.redis.topology;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.connection.CommandConnection;
import io.quarkiverse.lock.redis.connection.EventLoop;
import io.quarkiverse.lock.redis.connection.ReplicaAcks;
import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.script.ScriptCall;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;

/**
 * One server: the only one, the master that a sentinel names, or a node of a cluster. Calls that replicas have to acknowledge
 * go over a separate connection. Event loop only.
 */
final class SingleServer extends CommandRoute {

    private static final Masters ONE = new Masters(List.of(""), "");

    private final CommandConnection commands;
    private final @Nullable ReplicaAcks acks;

    SingleServer(EventLoop loop, Function<Vertx, Redis> clients, RedisLockOptions options, CommandConnection.Watcher watcher) {
        commands = new CommandConnection(loop, clients, options.operationTimeout().toNanos(), !options.cluster(), watcher);
        acks = options.replicaAcks() == 0 ? null : new ReplicaAcks(loop, clients, options, watcher);
    }

    @Override
    public void open() {
        commands.dial();
        if (acks != null) {
            acks.open();
        }
    }

    @Override
    public void send(Call call) {
        if (acks != null && call instanceof ScriptCall.Replicated replicated) {
            acks.send(replicated);
        } else if (acks != null && call.comesFirst()) {
            acks.sendFirst(call);
        } else {
            commands.send(call);
        }
    }

    /** It has no name. */
    @Override
    void masters(long deadline, Consumer<Masters> found, Consumer<RedisFailure> unknown) {
        found.accept(ONE);
    }

    @Override
    void sendTo(String master, Call call) {
        send(call);
    }

    @Override
    List<CommandConnection> connections() {
        return acks == null ? List.of(commands) : List.of(commands, acks.connection());
    }

    boolean up() {
        return commands.wire() != null;
    }

    @Override
    public void close() {
        commands.close();
        if (acks != null) {
            acks.close();
        }
    }
}
