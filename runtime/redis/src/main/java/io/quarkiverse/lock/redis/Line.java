package io.quarkiverse.lock.redis;

import java.time.Duration;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Backoff;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;

/**
 * A connection that is kept: dialled at first need, dialled again when it ends, until closed. One dial at a time, with full
 * jitter between them. Lives on the loop.
 */
abstract class Line {

    final Loop loop;
    private final Function<Vertx, Redis> clients;
    private final long timeoutNanos;
    static final Duration LONGEST_DELAY = Duration.ofSeconds(2);

    private final Backoff backoff = new Backoff(LONGEST_DELAY);

    private @Nullable Wire wire;
    private boolean dialling;
    private boolean closed;

    Line(Loop loop, Function<Vertx, Redis> clients, long timeoutNanos) {
        this.loop = loop;
        this.clients = clients;
        this.timeoutNanos = timeoutNanos;
    }

    /** A new connection. */
    abstract void up(Wire wire);

    /** The connection has ended. */
    abstract void down(Throwable cause);

    /** No connection could be made; it is tried again. */
    abstract void unreachable(Throwable cause);

    final @Nullable Wire wire() {
        return wire;
    }

    final void dial() {
        if (closed || dialling || wire != null) {
            return;
        }
        dialling = true;
        Wire.dial(loop, clients, timeoutNanos, new Wire.Outcome() {
            @Override
            public void up(Wire made) {
                dialling = false;
                if (closed) {
                    made.end(new IllegalStateException("closed"));
                    return;
                }
                wire = made;
                made.onEnd(cause -> ended(made, cause));
                Line.this.up(made);
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

    /** The connection does what it is for: the next failure is a new one. */
    final void proven() {
        backoff.reset();
    }

    /** Gives the connection up for another one. */
    final void replace(Throwable why) {
        if (wire != null) {
            wire.end(why);
        }
    }

    void close() {
        closed = true;
        if (wire != null) {
            wire.end(new IllegalStateException("The lock backend was closed"));
        }
    }

    final boolean closed() {
        return closed;
    }

    private void ended(Wire which, Throwable cause) {
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
        loop.after(nanos, () -> {
            dialling = false;
            dial();
        });
    }
}
