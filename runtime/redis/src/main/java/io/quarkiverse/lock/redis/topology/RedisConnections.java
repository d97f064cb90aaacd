package io.quarkiverse.lock.redis.topology;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.connection.Channel;
import io.quarkiverse.lock.redis.connection.ConnectionListener;
import io.quarkiverse.lock.redis.connection.ConnectionListeners;
import io.quarkiverse.lock.redis.connection.EventLoop;
import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.Marker;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.script.Script;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.redis.client.Redis;

/**
 * This JVM's connections to one Redis, shared by all backends that use it: one for commands, another for those that replicas
 * have to acknowledge, and one for messages. All lead to the same master: when one finds a replica, or a different server than
 * the others, all are made anew. In a cluster, there are connections for commands to each node, and the one for messages leads
 * to any of them. On a dedicated event loop. Nothing happens before the first backend is started; the last one closes them.
 */
public final class RedisConnections {

    private static final long OPENED_AFTER = TimeUnit.MILLISECONDS.toNanos(500);

    private final RedisLockOptions options;
    private final boolean ordered;
    private final EventLoop loop;
    private final @Nullable Function<Vertx, Redis> servers;
    private final @Nullable ClusterClients cluster;
    private final @Nullable Sentinels sentinels;
    private final @Nullable Marker marker;
    private final Channel channel;
    private final ConnectionListeners listeners = new ConnectionListeners();
    /** Empty while messages would not arrive. Written on the event loop. */
    private volatile String openChannel = "";
    private volatile boolean closed;
    /** On the event loop; {@code null} before they are wanted. */
    private @Nullable OpenConnections connections;

    private RedisConnections(EventLoop loop, RedisLockOptions options, @Nullable Function<Vertx, Redis> servers,
            @Nullable ClusterClients cluster, @Nullable Sentinels sentinels) {
        this.loop = loop;
        this.options = options;
        this.servers = servers;
        this.cluster = cluster;
        this.sentinels = sentinels;
        this.marker = options.graceLease() == null ? null : new Marker(options, "grace", options.graceLease().toNanos());
        this.ordered = !options.cluster() && options.replicaAcks() == 0;
        this.channel = new Channel(options.keyPrefix());
    }

    /**
     * To one server.
     *
     * @param clients makes a client on the given Vert.x; called for every new connection, which then owns the client
     */
    public static RedisConnections to(RedisLockOptions options, Function<Vertx, Redis> clients) {
        return new RedisConnections(new EventLoop(), options, clients, null, null);
    }

    /**
     * To the server that sentinels call the master.
     *
     * @param clients makes a client that asks them; called as that for one server
     * @param sentinels listened to, so that a planned fail-over loses no lock
     */
    public static RedisConnections toMaster(RedisLockOptions options, Function<Vertx, Redis> clients, Sentinels sentinels) {
        return new RedisConnections(new EventLoop(), options, clients, null, sentinels);
    }

    /** To a Redis Cluster; {@link RedisLockOptions#cluster} has to be set. */
    public static RedisConnections toCluster(RedisLockOptions options, ClusterClients clients) {
        if (!options.cluster()) {
            throw new IllegalArgumentException("The options are not for a cluster: " + options);
        }
        return new RedisConnections(new EventLoop(), options, null, clients, null);
    }

    /**
     * The same, on an event loop with these options.
     *
     * @param vertx the transport, and how host names are resolved; what it says of threads does not count
     */
    public RedisConnections on(VertxOptions vertx) {
        return new RedisConnections(new EventLoop(vertx), options, servers, cluster, sentinels);
    }

    public RedisLockOptions options() {
        return options;
    }

    /** Of the server; {@code null} where scripts do not look at it. */
    public @Nullable Marker marker() {
        return marker;
    }

    /** On the event loop: how much of a grace is left according to an answer, in milliseconds; 0 if there is none. */
    public void graceLeft(long millis) {
        GraceWatch graces = opened().graces;
        if (graces != null) {
            graces.left(millis);
        }
    }

    /** Whether all requests for a name go over one connection, so that none overtakes another. */
    public boolean ordered() {
        return ordered;
    }

    /** The last backend has gone; these connections are not used again. */
    public boolean closed() {
        return closed;
    }

    public void attach(ConnectionListener listener) {
        listeners.add(listener);
        loop.run(() -> loop.after(OPENED_AFTER, this::open));
    }

    /** On the event loop: with the first request, or a moment after the start, so as not to slow that down. */
    private void open() {
        if (!closed) {
            opened();
        }
    }

    private OpenConnections opened() {
        OpenConnections open = connections;
        if (open == null) {
            open = new OpenConnections(loop, options, servers, cluster, sentinels, marker, channel, listeners,
                    arrive -> openChannel = arrive ? channel.name() : "");
            connections = open;
            if (closed) {
                open.close(); // from now on it refuses all calls
            } else {
                open.open();
                Script.readThoseOfEachLock(); // here, while the connections are being made, so that no lock waits for it
            }
        }
        return open;
    }

    public void detach(ConnectionListener listener) {
        if (listeners.remove(listener)) {
            closed = true;
            loop.run(() -> {
                if (connections != null) {
                    connections.close();
                }
                loop.close();
            });
        }
    }

    /** This process was restored from a checkpoint: other copies have the same channel, and the connections lead nowhere. */
    public void restored() {
        loop.run(() -> {
            channel.renew(); // first: the next subscription is to this one
            if (connections != null && !closed) {
                connections.replace(new IllegalStateException("this process was restored from a checkpoint"));
            }
        });
    }

    public void run(Runnable task) {
        loop.run(task);
    }

    public void after(long nanos, Runnable task) {
        loop.after(nanos, task);
    }

    /** On the event loop. */
    public void send(Call call) {
        opened().route.send(call);
    }

    /** On the event loop: asks which servers have names, until a time of {@code System.nanoTime}. */
    public void masters(long deadline, Consumer<Masters> found, Consumer<RedisFailure> unknown) {
        opened().route.masters(deadline, found, unknown);
    }

    /** On the event loop, to one of the {@link #masters}. */
    public void sendTo(String master, Call call) {
        opened().route.sendTo(master, call);
    }

    /** On the event loop: where messages for this JVM go; empty while they would not arrive. */
    public String channel() {
        return openChannel;
    }

    /** Whether messages for this JVM arrive. */
    public boolean listens() {
        return !openChannel.isEmpty();
    }
}
