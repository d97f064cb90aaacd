package io.quarkiverse.lock.redis.connection;

import java.util.function.Function;

import org.jboss.logging.Logger;

import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/**
 * The connection for messages, subscribed to the {@linkplain Channel one channel} of this JVM. Nothing else is ever sent on it:
 * the client would hand out messages as replies. So the other connection checks whether it still lives, by publishing to the
 * channel.
 */
public final class SubscriptionConnection extends ReconnectingConnection {

    /** Notified of channel events, on the event loop. */
    public interface Watcher {
        /** From now on messages arrive. */
        void subscribed();

        /** Until the next subscription no messages arrive. */
        void unsubscribed();

        void message(String payload);

        /** What callers who wait here have to expect while the server refuses the subscription, as the end of a sentence. */
        String whileRefused();
    }

    private static final Logger LOG = Logger.getLogger(SubscriptionConnection.class);

    private final long timeoutNanos;
    private final Channel channel;
    private final Watcher watcher;

    private boolean subscribed;
    private boolean denied;

    public SubscriptionConnection(EventLoop loop, Function<Vertx, Redis> clients, long timeoutNanos, boolean toMaster,
            Channel channel, Watcher watcher) {
        super(loop, clients, timeoutNanos, toMaster);
        this.timeoutNanos = timeoutNanos;
        this.channel = channel;
        this.watcher = watcher;
    }

    public boolean subscribed() {
        return subscribed;
    }

    /** Subscribes, and stays subscribed. */
    public void want() {
        dial();
    }

    @Override
    public void up(LiveConnection wire) {
        wire.onMessage(message -> received(wire, message));
        // Succeeds once written; the first message shows that it works.
        wire.send(Request.cmd(Command.SUBSCRIBE).arg(channel.name())).onFailure(wire::end);
        loop.after(timeoutNanos, () -> {
            if (wire == wire() && !subscribed) {
                wire.end(new IllegalStateException("no confirmation of the subscription"));
            }
        });
    }

    @Override
    public void down(Throwable cause) {
        subscribed = false;
        watcher.unsubscribed();
    }

    @Override
    public void unreachable(Throwable cause) {
        LOG.debugf(cause, "No connection for messages");
    }

    private void received(LiveConnection wire, Response message) {
        if (wire != wire()) {
            return;
        }
        if (message.type() == ResponseType.ERROR) {
            refused(wire, message.toString());
            return;
        }
        if (message.size() != 3) {
            return;
        }
        switch (message.get(0).toString()) {
            case "subscribe" -> {
                subscribed = true;
                denied = false;
                proven();
                watcher.subscribed();
            }
            case "message" -> watcher.message(message.get(2).toString());
            default -> {
            }
        }
    }

    private void refused(LiveConnection wire, String error) {
        if (!denied) {
            String name = channel.name();
            LOG.warnf(
                    "Redis refuses the subscription to %s (%s). Locks work, but %s. Allow it, for instance with ACL SETUSER "
                            + "<user> +subscribe resetchannels &%s*",
                    name, error, watcher.whileRefused(), name.substring(0, name.lastIndexOf(':') + 1));
        }
        denied = true;
        wire.end(new IllegalStateException("subscription refused"));
    }
}
