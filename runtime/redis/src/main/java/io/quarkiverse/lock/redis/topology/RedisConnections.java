package io.quarkiverse.lock.redis.topology;

import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.connection.ConnectionListener;
import io.quarkiverse.lock.redis.connection.ConnectionListeners;
import io.quarkiverse.lock.redis.connection.EventLoop;
import io.quarkiverse.lock.redis.connection.SubscriptionConnection;
import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.Marker;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.script.ScriptArguments;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;

/**
 * This JVM's two connections to one Redis, shared by all backends that use it: one for commands, and one for messages. Both go
 * to the same master: when one of them finds a replica, or another server than the other one, both are made anew. On an event
 * loop of its own. Nothing happens before the first backend is started; the last one closes it.
 */
public final class RedisConnections {

    private static final Logger LOG = Logger.getLogger(RedisConnections.class);
    private static final long OPENED_AFTER = TimeUnit.MILLISECONDS.toNanos(500);

    private final RedisLockOptions options;
    private final boolean ordered;
    private final EventLoop loop;
    private final CommandRoute route;
    private final SubscriptionConnection subscription;
    /** {@code null} in a cluster, like the next one: there each connection is to a node of its own. */
    private final @Nullable MasterConnections master;
    private final @Nullable RoleCheck role;
    private final @Nullable SentinelFailover failover;
    private final @Nullable Marker marker;
    private final @Nullable GraceWatch graces;
    private final Runnable levels;
    private final String channel;
    private final SubscriptionProbe probe;
    private final ServerChecks checks;
    private final ConnectionListeners listeners = new ConnectionListeners();
    /** Empty while messages would not arrive. Written on the event loop. */
    private volatile String openChannel = "";
    private volatile boolean closed;
    /** On the event loop. */
    private boolean opened;

    private RedisConnections(RedisLockOptions options, @Nullable Function<Vertx, Redis> server,
            @Nullable ClusterClients cluster,
            @Nullable Sentinels sentinels) {
        this.options = options;
        this.marker = options.graceLease() == null ? null : new Marker(options, "grace", options.graceLease().toNanos());
        this.ordered = !options.cluster() && options.replicaAcks() == 0;
        // Random for each start of the JVM: machines get cloned, with their configuration.
        this.channel = ScriptArguments.channel(options.keyPrefix(), UUID.randomUUID().toString());
        this.loop = new EventLoop();
        long timeout = options.operationTimeout().toNanos();
        if (cluster == null) {
            Function<Vertx, Redis> clients = Objects.requireNonNull(server);
            var single = new SingleServer(loop, clients, options, new CommandEvents());
            route = single;
            subscription = new SubscriptionConnection(loop, clients, timeout, true, channel, new MessageEvents());
            master = new MasterConnections(single.connections(), subscription, options.properties(), listeners);
            graces = marker == null ? null : new GraceWatch(loop, single, options, marker, sentinels != null, listeners);
            levels = graces == null ? new LevelCheck(single, options) : graces;
            role = new RoleCheck(loop, single, master, levels);
            failover = sentinels == null ? null : new SentinelFailover(loop, master, sentinels, timeout);
        } else {
            var nodes = new ClusterRoute(loop, cluster, options, new CommandEvents());
            route = nodes;
            subscription = new SubscriptionConnection(loop, vertx -> cluster.client(vertx, nodes.someNode()), timeout, false,
                    channel, new MessageEvents());
            master = null;
            role = null;
            graces = null;
            levels = () -> {
            };
            failover = null;
        }
        this.probe = new SubscriptionProbe(loop, route::send, subscription, master == null ? null : master::leave, channel,
                timeout);
        this.checks = new ServerChecks(route::send, options, channel);
    }

    /**
     * To one server.
     *
     * @param clients makes a client on the given Vert.x; called for every new connection, which then owns the client
     */
    public static RedisConnections to(RedisLockOptions options, Function<Vertx, Redis> clients) {
        return new RedisConnections(options, clients, null, null);
    }

    /**
     * To the server that sentinels call the master.
     *
     * @param clients makes a client that asks them; called as that for one server
     * @param sentinels listened to, so that a planned fail-over loses no lock
     */
    public static RedisConnections toMaster(RedisLockOptions options, Function<Vertx, Redis> clients, Sentinels sentinels) {
        return new RedisConnections(options, clients, null, sentinels);
    }

    /** To a Redis Cluster; {@link RedisLockOptions#cluster} has to be set. */
    public static RedisConnections toCluster(RedisLockOptions options, ClusterClients clients) {
        if (!options.cluster()) {
            throw new IllegalArgumentException("The options are not for a cluster: " + options);
        }
        return new RedisConnections(options, null, clients, null);
    }

    public RedisLockOptions options() {
        return options;
    }

    /** Of the server; {@code null} where scripts do not look at it. */
    public @Nullable Marker marker() {
        return marker;
    }

    /** On the event loop: how much is left of a grace by an answer, in milliseconds; 0 if there is none. */
    public void graceLeft(long millis) {
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

    /** On the event loop: with the first request, or a moment after the start, which has other things to do. */
    private void open() {
        if (opened || closed) {
            return;
        }
        opened = true;
        if (failover != null) {
            failover.listen();
        }
        route.open();
        subscription.want(); // also where nothing ever waits: a lock can be taken from this JVM by force
        Script.readThoseOfEachLock(); // here while the server is reached, and not where a lock waits for it
    }

    public void detach(ConnectionListener listener) {
        if (listeners.remove(listener)) {
            closed = true;
            loop.run(() -> {
                probe.stop();
                if (role != null) {
                    role.stop();
                }
                if (failover != null) {
                    failover.close();
                }
                route.close();
                subscription.close();
                loop.close();
            });
        }
    }

    public void run(Runnable task) {
        loop.run(task);
    }

    public void after(long nanos, Runnable task) {
        loop.after(nanos, task);
    }

    /** On the event loop. */
    public void send(Call call) {
        open();
        route.send(call);
    }

    /** On the event loop: asks which servers have names, until a time of {@code System.nanoTime}. */
    public void masters(long deadline, Consumer<Masters> found, Consumer<RedisFailure> unknown) {
        open();
        route.masters(deadline, found, unknown);
    }

    /** On the event loop, to one of the {@link #masters}. */
    public void sendTo(String master, Call call) {
        open();
        route.sendTo(master, call);
    }

    /** On the event loop: where messages for this JVM go; empty while they would not arrive. */
    public String channel() {
        return openChannel;
    }

    /** Whether messages for this JVM arrive. */
    public boolean listens() {
        return !openChannel.isEmpty();
    }

    private final class CommandEvents implements ClusterRoute.Watcher {

        @Override
        public void slotsMoved() {
            listeners.recheck();
        }

        @Override
        public void commandsReachedAtLast() {
            LOG.infof("Connected to Redis (%shosts)", options.properties());
        }

        @Override
        public void commandsUp(boolean again) {
            if (role != null) {
                role.start();
            }
            if (failover != null) {
                failover.connected();
            }
            if (again) {
                LOG.infof("Connected to Redis again (%shosts); all locks are checked", options.properties());
                probe.check();
                listeners.recheck();
            }
            levels.run();
            checks.run();
        }

        /** What was meant for another life of the server is said again, to the one of now. */
        @Override
        public boolean redirected(Call call, RedisFailure refusal) {
            if (marker == null || !refusal.code().equals(RedisFailure.INCARNATION)) {
                return false;
            }
            marker.incarnation(refusal.getMessage().substring(RedisFailure.INCARNATION.length()).strip());
            send(call);
            return true;
        }

        @Override
        public void commandsUnreachable(Throwable cause) {
            LOG.warnf("Cannot connect to Redis (%shosts): %s. Trying again and again; locks fail until then",
                    options.properties(), cause.getMessage());
        }

        @Override
        public void commandsDown(Throwable cause) {
            if (master != null && master.replacing()) {
                return;
            }
            if (listeners.any()) {
                LOG.warnf("Lost the connection to Redis (%shosts): %s. Connecting again", options.properties(),
                        cause.getMessage());
            }
            if (master != null && !closed) {
                if (cause instanceof RedisFailure) {
                    master.replace(cause);
                } else {
                    master.replaceCalls(cause);
                }
            }
            listeners.disconnected();
        }
    }

    private final class MessageEvents implements SubscriptionConnection.Watcher {

        @Override
        public void subscribed() {
            openChannel = channel;
            probe.start();
            probe.check();
            listeners.recheck(); // what was asked for before has said nothing of where messages go, or may have missed some
        }

        @Override
        public void unsubscribed() {
            openChannel = "";
        }

        @Override
        public void message(String payload) {
            if (payload.startsWith(SubscriptionProbe.PING)) {
                probe.heard(payload);
            } else {
                listeners.message(payload);
            }
        }
    }
}
