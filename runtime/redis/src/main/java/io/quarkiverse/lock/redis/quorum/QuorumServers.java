package io.quarkiverse.lock.redis.quorum;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.quarkiverse.lock.redis.connection.Channel;
import io.quarkiverse.lock.redis.connection.ConnectionListener;
import io.quarkiverse.lock.redis.connection.ConnectionListeners;
import io.quarkiverse.lock.redis.connection.EventLoop;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.redis.client.Redis;

/**
 * This JVM's connections to all servers of a quorum, shared by the backends that use it, on one dedicated event loop. Nothing
 * happens before the first backend is started; the last one closes them.
 */
public final class QuorumServers {

    /**
     * One server.
     *
     * @param properties the prefix of its configuration properties, for messages: {@code quarkus.redis.<client>.}
     * @param clients makes a client on the given Vert.x; called for every new connection, which then owns the client
     */
    public record Member(String properties, Function<Vertx, Redis> clients) {
    }

    private final QuorumOptions options;
    private final EventLoop loop;
    private final Channel channel;
    private final int majority;
    private final QuorumKeys.Refusals refusals;
    private final List<QuorumServer> servers;
    private final ConnectionListeners listeners = new ConnectionListeners();
    private volatile boolean closed;

    private QuorumServers(EventLoop loop, QuorumOptions options, List<Member> members) {
        this.loop = loop;
        this.options = options;
        this.channel = QuorumKeys.channel(options);
        this.majority = members.size() / 2 + 1;
        this.refusals = new QuorumKeys.Refusals(majority);
        var keys = new QuorumKeys(options, refusals, channel, "", "");
        var runs = new ServerRuns();
        var made = new ArrayList<QuorumServer>();
        for (Member each : members) {
            made.add(new QuorumServer(made.size(), loop, each.clients(), options.server(each.properties()), keys, runs,
                    listeners));
        }
        this.servers = List.copyOf(made);
    }

    /** @param members an odd number of independent servers */
    public static QuorumServers of(QuorumOptions options, List<Member> members) {
        return of(options, members, new VertxOptions());
    }

    /**
     * @param members an odd number of independent servers
     * @param vertx the transport, and how host names are resolved; what it says of threads does not count
     */
    public static QuorumServers of(QuorumOptions options, List<Member> members, VertxOptions vertx) {
        QuorumOptions.check(members.stream().map(Member::properties).toList());
        return new QuorumServers(new EventLoop(vertx), options, members);
    }

    public QuorumOptions options() {
        return options;
    }

    /** The last backend has gone; these connections are not used again. */
    public boolean closed() {
        return closed;
    }

    List<QuorumServer> all() {
        return servers;
    }

    /** More than half of them. */
    int majority() {
        return majority;
    }

    QuorumKeys.Refusals refusals() {
        return refusals;
    }

    /** Whether messages of each server arrive. Any thread. */
    boolean listensToAll() {
        for (QuorumServer server : servers) {
            if (!server.listening()) {
                return false;
            }
        }
        return true;
    }

    Channel channel() {
        return channel;
    }

    void attach(ConnectionListener listener) {
        listeners.add(listener);
        loop.run(() -> servers.forEach(QuorumServer::open));
    }

    void detach(ConnectionListener listener) {
        if (listeners.remove(listener)) {
            closed = true;
            loop.run(() -> {
                servers.forEach(QuorumServer::close);
                loop.close();
            });
        }
    }

    /** This process was restored from a checkpoint: other copies have the same channel, and the connections lead nowhere. */
    void restored() {
        loop.run(() -> {
            channel.renew(); // first: the next subscriptions are to this one
            if (!closed) {
                servers.forEach(QuorumServer::reconnect);
            }
        });
    }

    void run(Runnable task) {
        loop.run(task);
    }

    /** On the event loop. */
    void after(long nanos, Runnable task) {
        loop.after(nanos, task);
    }
}
