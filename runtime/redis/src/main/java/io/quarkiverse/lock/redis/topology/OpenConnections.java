package io.quarkiverse.lock.redis.topology;

import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.connection.Channel;
import io.quarkiverse.lock.redis.connection.CommandConnection;
import io.quarkiverse.lock.redis.connection.ConnectionListeners;
import io.quarkiverse.lock.redis.connection.EventLoop;
import io.quarkiverse.lock.redis.connection.SubscriptionConnection;
import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.Marker;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;

/** The connections of {@link RedisConnections}, once they are wanted, and what watches over them. Event loop only. */
final class OpenConnections {

    private static final Logger LOG = Logger.getLogger(RedisConnections.class); // which people look for, and filter

    private final RedisLockOptions options;
    final CommandRoute route;
    private final SubscriptionConnection subscription;
    private final RoleCheck role;
    /** {@code null} in a cluster: there each connection is to a node of its own. */
    private final @Nullable MasterConnections master;
    /** {@code null} without sentinels. */
    private final @Nullable SentinelFailover failover;
    private final @Nullable Marker marker;
    /** {@code null} without grace. */
    final @Nullable GraceWatch graces;
    private final Runnable levels;
    private final Channel channel;
    private final SubscriptionProbe probe;
    private final ServerChecks checks;
    private final ConnectionListeners listeners;
    private final Consumer<Boolean> listens;
    private boolean closed;

    /**
     * @param servers makes a client of the server or the master; {@code null} in a cluster
     * @param cluster {@code null} where there is none
     * @param sentinels {@code null} where there are none
     * @param channel where messages for this JVM go
     * @param listens notified whether they arrive
     */
    OpenConnections(EventLoop loop, RedisLockOptions options, @Nullable Function<Vertx, Redis> servers,
            @Nullable ClusterClients cluster, @Nullable Sentinels sentinels, @Nullable Marker marker, Channel channel,
            ConnectionListeners listeners, Consumer<Boolean> listens) {
        this.options = options;
        this.marker = marker;
        this.channel = channel;
        this.listeners = listeners;
        this.listens = listens;
        long timeout = options.operationTimeout().toNanos();
        if (cluster == null) {
            Function<Vertx, Redis> clients = Objects.requireNonNull(servers);
            var single = new SingleServer(loop, clients, options, new CommandEvents());
            route = single;
            subscription = new SubscriptionConnection(loop, clients, timeout, true, channel, new MessageEvents());
            master = new MasterConnections(single.connections(), subscription, options.properties(), listeners);
            graces = marker == null ? null : new GraceWatch(loop, single, options, marker, sentinels != null, listeners);
            levels = graces == null ? new LevelCheck(single, options) : graces;
            role = new RoleCheck(loop, single::connections, master::leave, levels);
            failover = sentinels == null ? null : new SentinelFailover(loop, master, sentinels, timeout);
        } else {
            var nodes = new ClusterRoute(loop, cluster, options, new CommandEvents());
            route = nodes;
            subscription = new SubscriptionConnection(loop, vertx -> cluster.client(vertx, nodes.someNode()), timeout, false,
                    channel, new MessageEvents());
            master = null;
            graces = null;
            levels = () -> {
            };
            role = new RoleCheck(loop, nodes::connections, replica -> {
                // It sends each call on to its master
            }, levels);
            failover = null;
        }
        this.probe = new SubscriptionProbe(loop, route::send, subscription, master == null ? null : master::leave, channel,
                timeout);
        this.checks = new ServerChecks(options, channel);
    }

    void open() {
        if (failover != null) {
            failover.listen();
        }
        route.open();
        subscription.want(); // even where nothing ever waits: a lock can be taken from this JVM by force
    }

    /** Gives all of them up for new ones. */
    void replace(Throwable why) {
        if (master != null) {
            master.leave(why);
        } else {
            route.connections().forEach(each -> each.replace(why));
            subscription.replace(why);
        }
    }

    void close() {
        closed = true;
        probe.stop();
        role.stop();
        if (failover != null) {
            failover.close();
        }
        route.close();
        subscription.close();
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
        public void commandsUp(CommandConnection connection, boolean again) {
            role.start();
            if (failover != null) {
                failover.connected();
            }
            if (again) {
                LOG.infof("Connected to Redis again (%shosts); all locks are checked", options.properties());
                probe.check();
                listeners.recheck();
            }
            levels.run();
            checks.run(connection::send);
        }

        /** Repeats, for the present life of the server, a call that was meant for another one. */
        @Override
        public boolean redirected(Call call, RedisFailure refusal) {
            if (marker == null || !refusal.code().equals(RedisFailure.INCARNATION)) {
                return false;
            }
            marker.incarnation(refusal.getMessage().substring(RedisFailure.INCARNATION.length()).strip());
            route.send(call);
            return true;
        }

        @Override
        public void commandsUnreachable(Throwable cause) {
            LOG.warnf("Cannot connect to Redis (%shosts): %s. Retrying until it works; locks fail until then",
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
        public String whileRefused() {
            return "waiting callers learn up to a second late that a lock is free";
        }

        @Override
        public void subscribed() {
            listens.accept(true);
            probe.start();
            probe.check();
            listeners.recheck(); // earlier requests did not say where messages go, or messages may have been missed
        }

        @Override
        public void unsubscribed() {
            listens.accept(false);
        }

        @Override
        public void message(String payload) {
            if (payload.startsWith(SubscriptionProbe.PING)) {
                probe.heard(payload);
            } else {
                listeners.message(0, payload);
            }
        }
    }
}
