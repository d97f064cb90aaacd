package io.quarkiverse.lock.redis;

import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;

/**
 * This JVM's two connections to one Redis, shared by all backends that use it: one for commands, and one for messages. Both go
 * to the same master: when one of them finds a replica, or another server than the other one, both are made anew. On an event
 * loop of its own. Nothing happens before the first backend is started; the last one closes it.
 */
public final class RedisConnections {

    private static final Logger LOG = Logger.getLogger(RedisLockBackend.class);

    /** A backend, as told of what happens to the connections; on the loop. */
    interface User {
        /** Messages may have been missed or come from now on, or the server may be another one. */
        void recheck();

        /** No answers for now. */
        void disconnected();

        void message(String payload);
    }

    private final RedisLockOptions options;
    private final EventLoop loop;
    private final CommandRoute commands;
    private final SubscriptionConnection pushes;
    /** {@code null} in a cluster: there each connection is to a node of its own. */
    private final @Nullable MasterConnections lines;
    private final @Nullable SentinelFailover switchover;
    private final String channel;
    private final SubscriptionProbe watch;
    private final RoleCheck roles;
    private final ServerChecks checks;
    private final List<User> users = new CopyOnWriteArrayList<>();
    private final AtomicInteger attached = new AtomicInteger();
    /** On the loop only. */
    private boolean connected;
    private volatile boolean closed;

    private RedisConnections(RedisLockOptions options, @Nullable Function<Vertx, Redis> server,
            @Nullable ClusterClients cluster,
            @Nullable Sentinels sentinels) {
        this.options = options;
        // Random for each start of the JVM: machines get cloned, with their configuration.
        this.channel = Keys.channel(options.keyPrefix(), UUID.randomUUID().toString());
        this.loop = new EventLoop();
        long timeout = options.operationTimeout().toNanos();
        Function<Vertx, Redis> listening;
        List<ReconnectingConnection> calls = List.of();
        if (cluster == null) {
            listening = Objects.requireNonNull(server);
            var master = new SingleServer(loop, listening, options, new CommandEvents());
            calls = master.lines();
            this.commands = master;
        } else {
            var route = new ClusterRoute(loop, cluster, options, new CommandEvents());
            listening = vertx -> cluster.client(vertx, route.someNode());
            this.commands = route;
        }
        this.pushes = new SubscriptionConnection(loop, listening, timeout, cluster == null, channel, new PushEvents());
        this.lines = cluster == null ? new MasterConnections(calls, pushes) : null;
        this.switchover = lines == null || sentinels == null ? null : new SentinelFailover(loop, lines, sentinels, timeout);
        this.watch = new SubscriptionProbe(this, channel, timeout);
        this.roles = new RoleCheck(this);
        this.checks = new ServerChecks(this, channel);
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

    RedisLockOptions options() {
        return options;
    }

    /** The last backend has gone; a link is used once. */
    public boolean closed() {
        return closed;
    }

    void attach(User user) {
        attached.incrementAndGet();
        users.add(user);
        loop.run(() -> {
            commands.open();
            pushes.want(); // also for who never waits: its lock can be taken from it by force
            if (switchover != null) {
                switchover.listen();
            }
        });
    }

    void detach(User user) {
        if (users.remove(user) && attached.decrementAndGet() == 0) {
            closed = true;
            loop.run(() -> {
                watch.stop();
                roles.stop();
                if (switchover != null) {
                    switchover.close();
                }
                commands.close();
                pushes.close();
                loop.close();
            });
        }
    }

    void run(Runnable task) {
        loop.run(task);
    }

    void after(long nanos, Runnable task) {
        loop.after(nanos, task);
    }

    boolean onLoop() {
        return loop.here();
    }

    /** On the loop. */
    void send(Call call) {
        if (switchover != null && call.asks()) {
            switchover.whenSettled(() -> commands.send(call));
        } else {
            commands.send(call);
        }
    }

    /** On the loop: where messages for this JVM go; empty while they would not arrive. */
    String channel() {
        return pushes.subscribed() ? channel : "";
    }

    /** On the loop: calls are written at once. */
    boolean connected() {
        return connected;
    }

    /** On the loop. */
    boolean subscribed() {
        return pushes.subscribed();
    }

    /** On the loop: the connection for messages does not deliver. */
    void resubscribe(Throwable why) {
        LOG.debugf("New connection for messages: %s", why.getMessage());
        pushes.replace(why);
    }

    /** On the loop: the server of some connection is not the master, or not any more. */
    void replace(Throwable why) {
        if (lines != null) {
            LOG.infof("Connecting to Redis again (%shosts): %s", options.properties(), why.getMessage());
            lines.replace(why);
            users.forEach(User::disconnected);
        }
    }

    private void recheck() {
        for (User user : users) {
            user.recheck();
        }
    }

    private final class CommandEvents implements ClusterRoute.Watcher {

        @Override
        public void slotsMoved() {
            recheck();
        }

        @Override
        public void commandsUp(boolean again) {
            connected = true;
            if (lines != null) {
                roles.start();
            }
            if (again) {
                LOG.infof("Connected to Redis again (%shosts); all locks are checked", options.properties());
                watch.check();
                recheck();
            }
            checks.run();
        }

        @Override
        public void commandsUnreachable(Throwable cause) {
            LOG.warnf("Cannot connect to Redis (%shosts): %s. Trying again and again; locks fail until then",
                    options.properties(), cause.getMessage());
        }

        @Override
        public void commandsDown(Throwable cause) {
            connected = false;
            if (lines != null && lines.replacing()) {
                return;
            }
            if (attached.get() > 0) {
                LOG.warnf("Lost the connection to Redis (%shosts): %s. Connecting again", options.properties(),
                        cause.getMessage());
            }
            if (lines != null && !closed) {
                if (cause instanceof RedisFailure) {
                    lines.replace(cause);
                } else {
                    lines.replaceCalls(cause);
                }
            }
            users.forEach(User::disconnected);
        }
    }

    private final class PushEvents implements SubscriptionConnection.Watcher {

        @Override
        public void subscribed() {
            watch.start();
            watch.check();
            recheck(); // what was asked for before has said nothing of where messages go, or may have missed some
        }

        @Override
        public void message(String payload) {
            if (payload.startsWith(SubscriptionProbe.PING)) {
                watch.heard(payload);
                return;
            }
            for (User user : users) {
                user.message(payload);
            }
        }
    }
}
