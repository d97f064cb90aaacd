package io.quarkiverse.lock.testkit.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Notices when the machine does not run what it should, as happens for seconds to virtual machines on a busy host: a thread
 * that keeps reading the clock then finds itself late. Whatever else is late for that reason says nothing about the locks.
 *
 * <pre>{@code
 * try (Stalls stalls = new Stalls(history::add)) {
 *     ...
 *     Optional<HistoryEvent> goingOn = stalls.now();
 *     List<HistoryEvent> events = history.events();
 *     goingOn.ifPresent(events::add);
 *     ...
 * }
 * }</pre>
 */
public final class Stalls implements AutoCloseable {

    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(20);
    /** All limits already allow for stalls that are shorter. */
    private static final long LATE = TimeUnit.MILLISECONDS.toNanos(250);
    private static final Duration END = Duration.ofSeconds(10);

    private final Consumer<HistoryEvent> history;
    private final LongSupplier clock;
    private final Thread watch;
    private final List<HistoryEvent> past = new CopyOnWriteArrayList<>();
    private volatile long seen;
    private volatile boolean closed;

    /**
     * Begins to watch.
     *
     * @param history gets each stall when it is over
     */
    public Stalls(Consumer<HistoryEvent> history) {
        this(history, System::nanoTime);
    }

    Stalls(Consumer<HistoryEvent> history, LongSupplier clock) {
        this.history = history.andThen(past::add);
        this.clock = clock;
        seen = clock.getAsLong();
        watch = new Thread(this::watch, "stalls");
        watch.setDaemon(true);
        watch.setPriority(Thread.MAX_PRIORITY);
        watch.start();
    }

    private void watch() {
        while (!closed) {
            LockSupport.parkNanos(LOOK);
            long now = clock.getAsLong();
            stall(now).ifPresent(history); // first, so that no concurrent caller misses it
            seen = now;
        }
    }

    /**
     * The stall that has just ended, if the history does not have it yet. Call this before reading the history, which has it
     * afterwards.
     */
    public Optional<HistoryEvent> now() {
        return stall(clock.getAsLong());
    }

    /**
     * How much of the time since then was lost in stalls: whoever waits for something may wait that much longer.
     *
     * @param from as in {@link System#nanoTime}
     */
    public Duration since(long from) {
        Optional<HistoryEvent> goingOn = now(); // before those that are past, which may soon have it
        List<HistoryEvent> all = new ArrayList<>(past);
        goingOn.filter(stall -> all.stream().noneMatch(each -> each.from() == stall.from())).ifPresent(all::add);
        return Duration.ofNanos(all.stream().mapToLong(each -> Math.max(0, each.to() - Math.max(from, each.from()))).sum());
    }

    private Optional<HistoryEvent> stall(long now) {
        long since = seen;
        return now - since > LATE ? Optional.of(HistoryEvent.stalled(since, now)) : Optional.empty();
    }

    @Override
    public void close() {
        closed = true;
        try {
            watch.join(END.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
