package io.quarkiverse.lock.redis.connection;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;

/**
 * An event loop of our own. All connection state lives on it, so no locking is needed. No application code runs there, so a
 * blocked event loop of the application cannot keep a lock from being renewed.
 */
public final class EventLoop {

    private static final long BLOCKED_CHECK_MILLIS = 60_000;

    private final VertxOptions base;
    private volatile @Nullable Context context;
    private int dialling;
    private boolean closing;

    public EventLoop() {
        this(new VertxOptions());
    }

    /** @param base the transport, and how host names are resolved; what it says of threads does not count */
    public EventLoop(VertxOptions base) {
        this.base = base;
    }

    Vertx vertx() {
        return context().owner();
    }

    /** After {@link #close} nothing is run any more. */
    public void run(Runnable task) {
        try {
            context().runOnContext(ignored -> task.run());
        } catch (RejectedExecutionException e) {
            // Closed meanwhile: everything to be notified was closed before.
        }
    }

    /** On the event loop only. */
    public long after(long nanos, Runnable task) {
        return vertx().setTimer(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)), ignored -> task.run());
    }

    void cancel(long timer) {
        vertx().cancelTimer(timer);
    }

    /** On the event loop, as the next one. */
    void dialBegins() {
        dialling++;
    }

    void dialEnds() {
        dialling--;
        closeIfIdle();
    }

    /**
     * On the event loop only. Waits for connections that are being made: otherwise a handshake would break, and the client
     * would log an unhandled error.
     */
    public void close() {
        closing = true;
        closeIfIdle();
    }

    private void closeIfIdle() {
        if (closing && dialling == 0) {
            vertx().close();
        }
    }

    /** Threads are created at first use, not while an application is built or only configured. */
    private Context context() {
        Context made = context;
        return made != null ? made : make();
    }

    private synchronized Context make() {
        if (context == null) {
            Vertx vertx = Vertx.vertx(new VertxOptions(base)
                    .setEventLoopPoolSize(1)
                    .setWorkerPoolSize(1)
                    .setInternalBlockingPoolSize(2)
                    .setUseDaemonThread(true)
                    // Nothing blocks here by design; a check every second would be most of an idle application's wake-ups
                    .setBlockedThreadCheckInterval(BLOCKED_CHECK_MILLIS)
                    .setFileSystemOptions(new FileSystemOptions()
                            .setFileCachingEnabled(false)
                            .setClassPathResolvingEnabled(false)));
            // The context of an event loop, even for a caller on a Vert.x thread: its own context belongs to another Vert.x
            context = vertx.getOrCreateContext();
        }
        return context;
    }
}
