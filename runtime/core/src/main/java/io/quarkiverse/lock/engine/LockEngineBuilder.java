package io.quarkiverse.lock.engine;

import java.time.Duration;
import java.util.concurrent.Executors;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.deadlock.LockOrders;
import io.quarkiverse.lock.engine.deadlock.LongWaits;
import io.quarkiverse.lock.engine.news.Recording;
import io.quarkiverse.lock.engine.news.Tracing;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.engine.thread.OffAnsweringThread;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockListener;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.PrintableDuration;
import io.quarkiverse.lock.spi.support.AnsweringThread;

/** Settings of a {@link LockEngine}; all but the backend have defaults. */
public final class LockEngineBuilder {

    /** 2<sup>62</sup>: leaves as much room above as below. */
    public static final long HIGHEST_FENCING_FLOOR = 1L << 62;

    /** The clocks of a JVM seem to differ by some milliseconds more or less each time they are compared, even on Windows. */
    public static final Duration SHORTEST_MARGIN = Duration.ofMillis(50);

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

    /**
     * How much earlier than the backend a holder considers its lease ended; by default a tenth of it, at most 2 s. A JVM that
     * seems to have been suspended for longer than that has its holds confirmed, so it must exceed what clocks differ by
     * anyway.
     *
     * @param margin at least {@link #SHORTEST_MARGIN}; {@code null} for the default
     */
    public LockEngineBuilder margin(@Nullable Duration margin) {
        if (margin != null && margin.compareTo(SHORTEST_MARGIN) < 0) {
            throw new IllegalArgumentException("margin must be at least " + PrintableDuration.of(SHORTEST_MARGIN)
                    + ", since clocks are not accurate enough for less, but is " + margin);
        }
        this.margin = margin;
        return this;
    }

    /** How long a grant is handed on inside the JVM once another JVM waits; 5 ms by default. */
    public LockEngineBuilder slice(@Nullable Duration slice) {
        this.slice = slice;
        return this;
    }

    /**
     * How long the backend keeps a name taken when a lease has ended without a release; by default not at all. Only for
     * backends with {@link io.quarkiverse.lock.spi.Feature#AFTER_LOSS_DELAY}.
     */
    public LockEngineBuilder afterLossDelay(@Nullable Duration afterLossDelay) {
        this.afterLossDelay = afterLossDelay;
        return this;
    }

    /**
     * All fencing tokens are above it; 0 by default. It must be the same for all that share locks, and must never be lowered.
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

    /** Records the orders in which locks are taken, across all engines that share this object; none by default. */
    public LockEngineBuilder orders(@Nullable LockOrders orders) {
        this.orders = orders;
        return this;
    }

    /** Finds callers that wait for each other, across all engines that share this object; none by default. */
    public LockEngineBuilder longWaits(@Nullable LongWaits longWaits) {
        this.longWaits = longWaits;
        return this;
    }

    /** Default: {@link SystemTime}. */
    public LockEngineBuilder time(LockTime time) {
        this.time = time;
        return this;
    }

    /** Default: blocking is fine everywhere, and asynchronous callers continue on daemon threads. */
    public LockEngineBuilder threads(CallerThreads threads) {
        this.threads = threads;
        return this;
    }

    /** Starts the backend; does no I/O itself. The settings belong to the engine from now on. */
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
        return backend instanceof AnsweringThread store ? new OffAnsweringThread(threads, store) : threads;
    }
}
