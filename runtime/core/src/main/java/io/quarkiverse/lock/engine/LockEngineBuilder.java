package io.quarkiverse.lock.engine;

import java.time.Duration;
import java.util.concurrent.Executors;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.deadlock.LockOrders;
import io.quarkiverse.lock.engine.deadlock.LongWaits;
import io.quarkiverse.lock.engine.news.Recording;
import io.quarkiverse.lock.engine.news.Tracing;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockListener;
import io.quarkiverse.lock.spi.LockTime;

/** Settings of a {@link LockEngine}; all but the backend have defaults. */
public final class LockEngineBuilder {

    /** 2<sup>62</sup>: leaves as much room above it. */
    public static final long HIGHEST_FENCING_FLOOR = 1L << 62;

    final LockBackend backend;
    @Nullable
    Duration margin;
    @Nullable
    Duration slice;
    @Nullable
    Duration afterLossDelay;
    long fencingFloor;
    @Nullable
    LockListener listener;
    @Nullable
    Tracing tracing;
    @Nullable
    Recording recording;
    @Nullable
    LockOrders orders;
    @Nullable
    LongWaits longWaits;
    private @Nullable LockTime time;
    private @Nullable CallerThreads threads;
    private boolean ownTime;

    LockEngineBuilder(LockBackend backend) {
        this.backend = backend;
    }

    /** How much earlier than the backend a holder considers its lease ended; default a tenth of it, at most 2 s. */
    public LockEngineBuilder margin(@Nullable Duration margin) {
        this.margin = margin;
        return this;
    }

    /** For how long a grant is handed on inside the JVM once another JVM waits; default 5 ms. */
    public LockEngineBuilder slice(@Nullable Duration slice) {
        this.slice = slice;
        return this;
    }

    /**
     * For how long the backend keeps a name for nobody when a lease has ended without a release; default not at all. Only for
     * backends with {@link io.quarkiverse.lock.spi.Feature#AFTER_LOSS_DELAY}.
     */
    public LockEngineBuilder afterLossDelay(@Nullable Duration afterLossDelay) {
        this.afterLossDelay = afterLossDelay;
        return this;
    }

    /**
     * All fencing tokens are above it; default 0. The same for all who share locks, and never lowered.
     *
     * @param fencingFloor from 0 to {@link #HIGHEST_FENCING_FLOOR}
     */
    public LockEngineBuilder fencingFloor(long fencingFloor) {
        if (fencingFloor < 0 || fencingFloor > HIGHEST_FENCING_FLOOR) {
            throw new IllegalArgumentException("fencingFloor must be from 0 to " + HIGHEST_FENCING_FLOOR + ", but is "
                    + fencingFloor);
        }
        this.fencingFloor = fencingFloor;
        return this;
    }

    public LockEngineBuilder listener(@Nullable LockListener listener) {
        this.listener = listener;
        return this;
    }

    public LockEngineBuilder tracing(@Nullable Tracing tracing) {
        this.tracing = tracing;
        return this;
    }

    public LockEngineBuilder recording(@Nullable Recording recording) {
        this.recording = recording;
        return this;
    }

    /** Told in which orders locks are taken, of all engines that have the same one; default nobody. */
    public LockEngineBuilder orders(@Nullable LockOrders orders) {
        this.orders = orders;
        return this;
    }

    /** Finds callers that wait for each other, of all engines that have the same one; default nobody. */
    public LockEngineBuilder longWaits(@Nullable LongWaits longWaits) {
        this.longWaits = longWaits;
        return this;
    }

    /** Default: {@link SystemTime}. */
    public LockEngineBuilder time(LockTime time) {
        this.time = time;
        return this;
    }

    /** Default: blocking is fine everywhere, and asynchronous callers are led back to daemon threads. */
    public LockEngineBuilder threads(CallerThreads threads) {
        this.threads = threads;
        return this;
    }

    /** Starts the backend; does no I/O itself. The settings are the engine's from here on. */
    public LockEngine start() {
        LockEngine engine = new LockEngine(this);
        engine.start();
        return engine;
    }

    LockTime time() {
        if (time == null) {
            time = new SystemTime();
            ownTime = true;
        }
        return time;
    }

    boolean ownTime() {
        return ownTime;
    }

    CallerThreads threads() {
        if (threads == null) {
            threads = CallerThreads.plain(Executors.newCachedThreadPool(task -> {
                Thread thread = new Thread(task, "quarkus-lock-worker");
                thread.setDaemon(true);
                return thread;
            }));
        }
        return threads;
    }
}
