package io.quarkiverse.lock.redis.topology;

import java.util.List;
import java.util.function.Consumer;

import io.quarkiverse.lock.redis.connection.CommandConnection;
import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.RedisFailure;

/** Sends each call to the server that it concerns. Event loop only. */
abstract class CommandRoute {

    /** Connects, so that the first call need not wait for it. */
    abstract void open();

    abstract void send(Call call);

    /**
     * Asks which servers have names.
     *
     * @param deadline by {@code System.nanoTime}
     */
    abstract void masters(long deadline, Consumer<Masters> found, Consumer<RedisFailure> unknown);

    /** Sends it to one of the {@link #masters}, whatever it concerns. */
    abstract void sendTo(String master, Call call);

    abstract List<CommandConnection> connections();

    abstract void close();
}
