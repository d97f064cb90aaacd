package io.quarkiverse.lock.redis.topology;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.redis.connection.EventLoop;
import io.quarkiverse.lock.redis.connection.LiveConnection;
import io.quarkiverse.lock.redis.connection.ReconnectingConnection;
import io.quarkiverse.lock.spi.PrintableDuration;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/** A connection to one sentinel, subscribed to what it says of our master. Event loop only. */
final class SentinelSubscription extends ReconnectingConnection {

    /** Notified of what the sentinel says, on the event loop. */
    interface Watcher {

        /** From now on nothing is missed, and what was missed before has been reported; or this sentinel cannot be heard. */
        void listened(SentinelSubscription to);

        /**
         * Who the master is.
         *
         * @param epoch how often the master has been replaced, as far as this sentinel knows
         */
        void master(long epoch, String address);

        /**
         * The master is about to be replaced; it may go on for a while, but what it grants is lost.
         *
         * @param leader the sentinel that does it
         */
        void replacing(SentinelSubscription leader);

        /** This sentinel leads no fail-over now, or cannot be heard: what it says later does not end one that it led before. */
        void leadsNone(SentinelSubscription sentinel);

        /** It stays the master. */
        void aborted();

        /** There is another master, says a sentinel. */
        void replaced(SentinelSubscription by, String address);
    }

    private static final Logger LOG = Logger.getLogger(SentinelSubscription.class);

    /** Published a moment before a replica is made the master, by the sentinel that does it. */
    private static final String BEGUN = "+failover-state-select-slave";
    /** Published by each sentinel when it answers with the new address. */
    private static final String SWITCHED = "+switch-master";
    /** How often to look whether the link still works: it is idle by nature, and one that is dropped somewhere says nothing. */
    private static final long PERIOD = TimeUnit.SECONDS.toNanos(5);
    private static final List<String> CHANNELS = List.of(BEGUN, SWITCHED, "-failover-abort-no-good-slave",
            "-failover-abort-slave-timeout");

    private final EventLoop loop;
    private final Function<Vertx, Redis> sentinel;
    private final long timeoutNanos;
    private final String master;
    private final Watcher watcher;
    /** How often anything has arrived. */
    private long heard;
    /** What it refuses has been reported. */
    private boolean refused;

    SentinelSubscription(EventLoop loop, Function<Vertx, Redis> sentinel, long timeoutNanos, String master, Watcher watcher) {
        super(loop, sentinel, timeoutNanos, false);
        this.loop = loop;
        this.sentinel = sentinel;
        this.timeoutNanos = timeoutNanos;
        this.master = master;
        this.watcher = watcher;
    }

    @Override
    public void up(LiveConnection wire) {
        wire.onMessage(message -> {
            heard++;
            received(wire, message);
        });
        // Succeeds once written; the messages show whether it works.
        var subscribe = Request.cmd(Command.SUBSCRIBE);
        CHANNELS.forEach(subscribe::arg);
        wire.send(subscribe).onFailure(wire::end);
        pingLater(wire);
    }

    private void pingLater(LiveConnection wire) {
        loop.after(PERIOD, () -> {
            if (wire == wire()) {
                ping(wire);
                pingLater(wire);
            }
        });
    }

    /** In RESP2 the client may take a message for the reply, and hands out the reply as a message. */
    private void ping(LiveConnection wire) {
        long before = heard;
        wire.send(Request.cmd(Command.PING)).onComplete(reply -> {
            heard++;
            if (reply.succeeded()) {
                received(wire, reply.result());
            }
        });
        loop.after(timeoutNanos, () -> {
            if (heard == before) {
                wire.end(new IllegalStateException("nothing was heard for " + PrintableDuration.ofNanos(timeoutNanos)));
            }
        });
    }

    /**
     * Over a separate connection, since a subscribed one takes no other command. Again and again until there is an answer: that
     * this connection does not work is not noticed on the other one.
     */
    private void askWhatWasMissed(LiveConnection subscribed) {
        LiveConnection.dial(loop, sentinel, timeoutNanos, false, new LiveConnection.Outcome() {

            private boolean answered;

            @Override
            public void up(LiveConnection wire) {
                wire.onEnd(this::ended);
                wire.send(Request.cmd(Command.SENTINEL).arg("MASTER").arg(master)).onComplete(state -> {
                    answered = state.succeeded() || LiveConnection.answered(state.cause());
                    if (state.succeeded()) {
                        told(state.result());
                    }
                    wire.end(new IllegalStateException("answered"));
                });
                loop.after(timeoutNanos, () -> wire.end(new IllegalStateException("no answer")));
            }

            @Override
            public void failed(Throwable cause) {
                ended(cause);
            }

            private void ended(Throwable cause) {
                watcher.listened(SentinelSubscription.this);
                if (!answered && subscribed == wire()) {
                    LOG.debugf("A sentinel does not say who the master is: %s", cause.getMessage());
                    loop.after(LONGEST_DELAY.toNanos(), () -> {
                        if (subscribed == wire()) {
                            askWhatWasMissed(subscribed);
                        }
                    });
                }
            }
        });
    }

    /** The flag is that of the sentinel which leads the fail-over. */
    private void told(Response state) {
        watcher.master(state.get("config-epoch").toLong(), state.get("ip") + ":" + state.get("port"));
        if (List.of(state.get("flags").toString().split(",")).contains("failover_in_progress")) {
            watcher.replacing(this);
        } else {
            watcher.leadsNone(this);
        }
    }

    @Override
    public void down(Throwable cause) {
        LOG.debugf("Nothing is heard from a sentinel: %s", cause.getMessage());
        watcher.leadsNone(this);
    }

    @Override
    public void unreachable(Throwable cause) {
        if (LiveConnection.answered(cause) && !refused) {
            refused = true;
            LOG.warnf("A sentinel of the Redis master '%s' refuses the connection (%s). Locks work, but during a planned "
                    + "fail-over a lock can be granted twice. Correct the user and password in its address, which is one of "
                    + "the hosts of the Redis client", master, cause.getMessage());
        } else {
            LOG.debugf("No connection to a sentinel: %s", cause.getMessage());
        }
        watcher.listened(this);
    }

    private void received(LiveConnection wire, Response message) {
        if (wire != wire()) {
            return;
        }
        if (message.type() == ResponseType.ERROR) {
            refused(wire, message.toString());
        } else if ((message.type() == ResponseType.MULTI || message.type() == ResponseType.PUSH) && message.size() == 3) {
            if (message.get(0).toString().equals("message")) {
                said(message);
            } else if (message.get(2).toInteger() == CHANNELS.size()) { // the last confirmation
                refused = false;
                proven();
                askWhatWasMissed(wire);
            }
        }
    }

    private void refused(LiveConnection wire, String error) {
        if (!refused) {
            LOG.warnf(
                    "A sentinel of the Redis master '%s' refuses to tell of fail-overs (%s). Locks work, but during a planned "
                            + "fail-over a lock can be granted twice. Allow it on the sentinels, for instance with "
                            + "ACL SETUSER <user> +subscribe +ping resetchannels &%s",
                    master, error, String.join(" &", CHANNELS));
        }
        refused = true;
        watcher.listened(this);
        wire.end(new IllegalStateException("subscription refused"));
    }

    private void said(Response message) {
        String channel = message.get(1).toString();
        String event = message.get(2).toString();
        if (!concerns(channel, event, master)) {
            return;
        }
        switch (channel) {
            case BEGUN -> watcher.replacing(this);
            case SWITCHED -> watcher.replaced(this, successor(event));
            default -> watcher.aborted();
        }
    }

    /** {@code <master> <former host> <former port> <new host> <new port>}. */
    private static String successor(String event) {
        String[] words = event.split(" ");
        return words[words.length - 2] + ":" + words[words.length - 1];
    }

    /**
     * A switch is {@code <master> <former address> <new address>}; all else is {@code <type> <name> <address>}, with
     * {@code @ <master> …} behind it if the type is not {@code master}, which can be a name as well.
     */
    static boolean concerns(String channel, String event, String master) {
        String[] words = event.split(" ");
        if (channel.equals(SWITCHED)) {
            return words[0].equals(master);
        }
        int before = words[0].equals("master") ? 0 : List.of(words).indexOf("@");
        return before >= 0 && before + 1 < words.length && words[before + 1].equals(master);
    }
}
