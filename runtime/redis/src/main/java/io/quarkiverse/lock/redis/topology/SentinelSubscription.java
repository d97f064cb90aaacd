package io.quarkiverse.lock.redis.topology;

import java.util.function.Function;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.redis.connection.EventLoop;
import io.quarkiverse.lock.redis.connection.LiveConnection;
import io.quarkiverse.lock.redis.connection.ReconnectingConnection;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** A connection to one sentinel, subscribed to what it says of our master. Event loop only. */
final class SentinelSubscription extends ReconnectingConnection {

    /** What is told; on the loop. */
    interface Watcher {

        /** The master is about to be replaced; it may go on for a while, for nothing. */
        void replacing();

        /** It stays the master. */
        void aborted();

        /** There is another master. */
        void replaced();
    }

    private static final Logger LOG = Logger.getLogger(SentinelSubscription.class);

    /** Published a moment before a replica is made the master, by the sentinel that does it. */
    private static final String BEGUN = "+failover-state-select-slave";
    /** Published by each sentinel when it answers with the new address. */
    private static final String SWITCHED = "+switch-master";
    private static final String[] ABORTED = { "-failover-abort-no-good-slave", "-failover-abort-slave-timeout" };

    private final String master;
    private final Watcher watcher;

    SentinelSubscription(EventLoop loop, Function<Vertx, Redis> sentinel, long timeoutNanos, String master, Watcher watcher) {
        super(loop, sentinel, timeoutNanos, false);
        this.master = master;
        this.watcher = watcher;
    }

    @Override
    public void up(LiveConnection wire) {
        wire.onMessage(this::received);
        wire.send(Request.cmd(Command.SUBSCRIBE).arg(BEGUN).arg(SWITCHED).arg(ABORTED[0]).arg(ABORTED[1]))
                .onSuccess(written -> proven()).onFailure(wire::end);
    }

    @Override
    public void down(Throwable cause) {
        LOG.debugf("No news of a sentinel: %s", cause.getMessage());
    }

    @Override
    public void unreachable(Throwable cause) {
        LOG.debugf("No connection to a sentinel: %s", cause.getMessage());
    }

    private void received(Response message) {
        if (message.size() != 3 || !message.get(0).toString().equals("message")
                || !concerns(message.get(2).toString())) {
            return;
        }
        switch (message.get(1).toString()) {
            case BEGUN -> watcher.replacing();
            case SWITCHED -> watcher.replaced();
            default -> watcher.aborted();
        }
    }

    /**
     * {@code <master> <former address> <new address>}, or {@code <type> <name> <address>} with {@code @ <master> …} behind it.
     */
    private boolean concerns(String event) {
        String[] words = event.split(" ");
        for (int i = 0; i + 1 < words.length; i++) {
            if (words[i].equals("@") || words[i].equals("master") && i == 0) {
                return words[i + 1].equals(master);
            }
        }
        return words[0].equals(master);
    }
}
