package io.quarkiverse.lock.redis.topology;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.connection.Channel;
import io.quarkiverse.lock.redis.connection.EventLoop;
import io.quarkiverse.lock.redis.connection.SubscriptionConnection;
import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Finds out when messages silently stop arriving: every few seconds, it sends a message to this JVM over the connection for
 * commands. Also finds out when messages arrive only from a replica, since the server then does not count this JVM among its
 * subscribers. On the event loop.
 */
public final class SubscriptionProbe {

    /** Begins such a message. */
    public static final String PING = "P|";
    private static final long PERIOD = TimeUnit.SECONDS.toNanos(5);

    private static final Logger LOG = Logger.getLogger(SubscriptionProbe.class);

    private final EventLoop loop;
    private final Consumer<Call> server;
    private final SubscriptionConnection subscription;
    private final @Nullable Consumer<Throwable> elsewhere;
    private final Channel channel;
    private final long timeoutNanos;

    private boolean running;
    private long sent;
    private long heard;

    /**
     * @param server where calls are sent to
     * @param elsewhere notified when the server counts no receiver of a message although the connection is subscribed;
     *        {@code null} in a cluster, where a node counts only its own subscribers, and where a message that does not arrive
     *        says enough
     */
    public SubscriptionProbe(EventLoop loop, Consumer<Call> server, SubscriptionConnection subscription,
            @Nullable Consumer<Throwable> elsewhere, Channel channel, long timeoutNanos) {
        this.loop = loop;
        this.server = server;
        this.subscription = subscription;
        this.elsewhere = elsewhere;
        this.channel = channel;
        this.timeoutNanos = timeoutNanos;
    }

    public void start() {
        if (!running) {
            running = true;
            loop.after(PERIOD, this::ping);
        }
    }

    public void stop() {
        running = false;
    }

    public void heard(String payload) {
        heard = Math.max(heard, Long.parseLong(payload.substring(PING.length())));
    }

    private void ping() {
        if (!running) {
            return;
        }
        loop.after(PERIOD, this::ping);
        check();
    }

    /** Looks now: there is a new connection. */
    public void check() {
        if (subscription.subscribed()) {
            server.accept(new Ping(++sent));
        }
    }

    private final class Ping extends Call {

        private final long number;

        Ping(long number) {
            this.number = number;
        }

        @Override
        public Request request() {
            return Request.cmd(Command.PUBLISH).arg(channel.name()).arg(PING + number);
        }

        @Override
        public void answered(Response reply) {
            if (elsewhere != null && subscription.subscribed() && reply.toInteger() == 0) {
                elsewhere.accept(new IllegalStateException("the subscription is on a different server than the commands"));
                return;
            }
            loop.after(timeoutNanos, () -> {
                if (running && subscription.subscribed() && heard < number) {
                    LOG.debug("New connection for messages: a message to ourselves did not arrive");
                    subscription.replace(new IllegalStateException("a message to ourselves did not arrive"));
                }
            });
        }

        @Override
        public void failed(RedisFailure failure) {
            // The connection for commands is watched elsewhere; if publishing is forbidden, nothing can be found out here
        }
    }
}
