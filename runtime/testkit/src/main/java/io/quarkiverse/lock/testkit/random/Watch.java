package io.quarkiverse.lock.testkit.random;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongPredicate;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.testkit.history.HistoryEvent;

/** Asks all open handles repeatedly whether they are valid, and notices when this process did not run for a while. */
final class Watch implements Runnable {

    private static final long PERIOD = 5_000_000;
    private static final long PAUSE = 60_000_000;
    private static final long LONG_PAUSE = 300_000_000;

    private final String process;
    private final Consumer<HistoryEvent> history;
    private final LongPredicate held;
    private final Map<Long, LockHandle> open = new ConcurrentHashMap<>();
    private volatile boolean stopped;

    /** @param held whether a fencing token belongs to a lock that this process still holds, confirmed or not */
    Watch(String process, Consumer<HistoryEvent> history, LongPredicate held) {
        this.process = process;
        this.history = history;
        this.held = held;
    }

    void add(long hold, LockHandle handle) {
        look(hold, handle);
        open.put(hold, handle);
    }

    /** Takes one last look. */
    void remove(long hold, LockHandle handle) {
        open.remove(hold);
        look(hold, handle);
    }

    void stop() {
        stopped = true;
    }

    @Override
    public void run() {
        long before = System.nanoTime();
        while (!stopped) {
            LockSupport.parkNanos(PERIOD);
            open.forEach(this::look);
            long now = System.nanoTime();
            if (now - before > PAUSE) {
                history.accept(HistoryEvent.paused(process, before, now));
                if (now - before > LONG_PAUSE) {
                    history.accept(HistoryEvent.fault(before, now));
                }
            }
            before = now;
        }
    }

    private void look(long hold, LockHandle handle) {
        long from = System.nanoTime();
        boolean valid = handle.isValid();
        long to = System.nanoTime();
        if (valid) {
            history.accept(HistoryEvent.valid(process, handle.name(), hold, from, to));
        } else if (!held.test(handle.fencingToken())) {
            history.accept(HistoryEvent.invalid(process, handle.name(), hold, from, to));
            open.remove(hold);
        }
    }
}
