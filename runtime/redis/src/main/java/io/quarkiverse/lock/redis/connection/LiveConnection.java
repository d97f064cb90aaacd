package io.quarkiverse.lock.redis.connection;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.spi.PrintableDuration;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * One live connection, and the client made for it alone: a connection that comes too late, or whose handshake never ends, goes
 * away with its client, whereas a shared client's pool would keep its slot or its socket. An ended connection never comes back.
 */
public final class LiveConnection {

    /** The outcome of a dial: exactly one of the two, once, on the event loop. */
    public interface Outcome {
        void up(LiveConnection wire);

        void failed(Throwable cause);
    }

    private final Redis client;
    private final RedisConnection connection;
    private boolean ended;
    private Consumer<Throwable> onEnd = ignored -> {
    };

    private LiveConnection(Redis client, RedisConnection connection) {
        this.client = client;
        this.connection = connection;
        // A clean close reaches one handler, a broken connection the other, and sometimes both.
        connection.endHandler(ignored -> end(new IllegalStateException("The server has closed the connection")));
        connection.exceptionHandler(this::end);
    }

    /**
     * Event loop only, so that the outcome arrives there without a gap in which the end of the connection could go unseen.
     *
     * @param toMaster whether a connection to a replica is rejected
     */
    public static void dial(EventLoop loop, Function<Vertx, Redis> clients, long timeoutNanos, boolean toMaster,
            Outcome outcome) {
        Redis client;
        try {
            client = clients.apply(loop.vertx());
        } catch (RuntimeException e) {
            outcome.failed(e);
            return;
        }
        new Dial(loop, client, toMaster, outcome).start(timeoutNanos);
    }

    public void onEnd(Consumer<Throwable> handler) {
        onEnd = handler;
    }

    public void onMessage(Consumer<Response> handler) {
        connection.handler(handler::accept);
    }

    public Future<Response> send(Request request) {
        return connection.send(request);
    }

    /** Sends in one write; fails, once all replies are there, if one of them is an error. */
    public Future<List<Response>> send(List<Request> requests) {
        return connection.batch(requests);
    }

    /** Everything in flight fails, and {@link #onEnd} is called, before this returns. */
    public void end(Throwable cause) {
        if (!ended) {
            ended = true;
            client.close();
            onEnd.accept(cause);
        }
    }

    /** Whether the error is the server's answer: only such errors are also responses. */
    static boolean replied(Throwable cause) {
        return cause instanceof Response;
    }

    /** Like {@link #replied}, and no error that the client has made up because the connection has ended. */
    public static boolean answered(Throwable cause) {
        return replied(cause) && !"CONNECTION_CLOSED".equals(cause.getMessage());
    }

    private static final class Dial {

        private final EventLoop loop;
        private final Redis client;
        private final boolean toMaster;
        private final Outcome outcome;
        private boolean over;

        Dial(EventLoop loop, Redis client, boolean toMaster, Outcome outcome) {
            this.loop = loop;
            this.client = client;
            this.toMaster = toMaster;
            this.outcome = outcome;
        }

        void start(long timeoutNanos) {
            loop.dialBegins();
            long timer = loop.after(timeoutNanos,
                    () -> fail(new IllegalStateException("No connection within " + PrintableDuration.ofNanos(timeoutNanos))));
            client.connect().onComplete(result -> {
                if (result.failed()) {
                    loop.cancel(timer);
                    fail(result.cause());
                } else if (!over) {
                    greet(result.result(), () -> loop.cancel(timer));
                }
            });
        }

        /**
         * A server that wants a password says so in reply to a short command. To a long command from an unknown client, it
         * answers by closing the connection, and that answer may get lost. The answer also says whether the server is a
         * replica.
         */
        private void greet(RedisConnection connection, Runnable answered) {
            connection.exceptionHandler(ignored -> {
                // A failure meanwhile fails the question too; the client would log it as an unhandled error.
            });
            connection.send(ServerRole.question()).onComplete(result -> {
                answered.run();
                RedisFailure replica = toMaster ? ServerRole.refusal(result.result()) : null;
                if (replica != null) {
                    fail(replica);
                } else if (result.failed() && (!replied(result.cause())
                        || RedisFailure.refused(result.cause().getMessage()).code().equals("NOAUTH"))) {
                    fail(result.cause());
                } else if (!over) {
                    over = true;
                    outcome.up(new LiveConnection(client, connection));
                    loop.dialEnds();
                }
            });
        }

        private void fail(@Nullable Throwable cause) {
            if (!over) {
                over = true;
                client.close();
                outcome.failed(cause == null ? new IllegalStateException("No connection") : cause);
                loop.dialEnds();
            }
        }
    }
}
