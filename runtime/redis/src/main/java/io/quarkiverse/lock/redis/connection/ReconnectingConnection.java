package io.quarkiverse.lock.redis.connection;

import java.time.Duration;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Backoff;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;

/**
 * A kept connection: dialled when first needed, and again whenever it ends, until closed. One dial at a time, with full jitter
 * between them. Lives on the event loop.
 */
public abstract class ReconnectingConnection {

    final EventLoop loop;
    private final Function<Vertx, Redis> clients;
    private final long timeoutNanos;
    private final boolean toMaster;
    public static final Duration LONGEST_DELAY = Duration.ofSeconds(2);

    private final Backoff backoff = new Backoff(LONGEST_DELAY);

    /** The present connection; changed only here, like {@link #closed}. */
    @Nullable
    LiveConnection wire;
    boolean closed;
    private boolean dialling;
    private @Nullable Long pause;
    /** How often the server was replaced: an earlier dial leads to the former one. */
    private int moves;
    private boolean wanted;
    private boolean suspended;

    /** @param toMaster whether a connection to a replica is rejected */
    public ReconnectingConnection(EventLoop loop, Function<Vertx, Redis> clients, long timeoutNanos, boolean toMaster) {
        this.loop = loop;
        this.clients = clients;
        this.timeoutNanos = timeoutNanos;
        this.toMaster = toMaster;
    }

    /** A new connection. */
    public abstract void up(LiveConnection wire);

    /** The connection has ended. */
    public abstract void down(Throwable cause);

    /** No connection could be made; it is tried again. */
    public abstract void unreachable(Throwable cause);

    public final @Nullable LiveConnection wire() {
        return wire;
    }

    public final void dial() {
        wanted = true;
        if (closed || suspended || dialling || wire != null) {
            return;
        }
        dialling = true;
        int dialledAfter = moves;
        LiveConnection.dial(loop, clients, timeoutNanos, toMaster, new LiveConnection.Outcome() {
            @Override
            public void up(LiveConnection made) {
                dialling = false;
                if (closed || dialledAfter != moves) {
                    made.end(new IllegalStateException("closed, or to a former server"));
                    dial();
                    return;
                }
                wire = made;
                made.onEnd(cause -> ended(made, cause));
                ReconnectingConnection.this.up(made);
            }

            @Override
            public void failed(Throwable cause) {
                if (!closed) {
                    unreachable(cause);
                    later(backoff.next());
                }
            }
        });
    }

    /** The connection has proved to work: the next failure is a new one. */
    public final void proven() {
        backoff.reset();
    }

    /** Gives up the connection, and any dial under way, for a new one. */
    public final void replace(Throwable why) {
        moves++;
        if (wire != null) {
            wire.end(why);
        }
    }

    /** Gives the connection up, and makes none until {@link #resume}. */
    public final void suspend(Throwable why) {
        suspended = true;
        replace(why);
    }

    /** Makes connections again, without a pause: there is no server yet that this could overload. */
    public final void resume() {
        suspended = false;
        backoff.reset();
        if (pause != null) {
            loop.cancel(pause);
            pause = null;
            dialling = false;
        }
        if (wanted) {
            dial();
        }
    }

    public void close() {
        closed = true;
        if (wire != null) {
            wire.end(new IllegalStateException("The lock backend was closed"));
        }
    }

    private void ended(LiveConnection which, Throwable cause) {
        if (wire == which) {
            wire = null;
            if (!closed) {
                dialling = true;
                later(backoff.next());
            }
            down(cause);
        }
    }

    private void later(long nanos) {
        pause = loop.after(nanos, () -> {
            pause = null;
            dialling = false;
            dial();
        });
    }
}
