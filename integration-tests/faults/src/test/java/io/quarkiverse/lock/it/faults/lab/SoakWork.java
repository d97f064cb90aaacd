package io.quarkiverse.lock.it.faults.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;

/** Threads that take locks in every possible way, at a moderate pace. The state of this object does not grow. */
final class SoakWork {

    /** The lease of abandoned holds. */
    static final Duration ABANDONED = Duration.ofSeconds(1);

    private static final int THREADS = 6;
    private static final long PACE = TimeUnit.MILLISECONDS.toNanos(75);
    private static final int COMPLAINTS = 20;

    private final String process;
    private final SoakCycles cycles;
    private final long started = System.nanoTime();
    private final List<Thread> threads = new ArrayList<>();
    private final Map<SoakCycles.Kind, AtomicLong> done = new EnumMap<>(SoakCycles.Kind.class);
    private final AtomicLong busy = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    /** Not answered in time, which is the only right end when the machine is too busy. */
    private final AtomicLong unanswered = new AtomicLong();
    private final AtomicLong errors = new AtomicLong();
    private final AtomicLong names = new AtomicLong();
    /** How many names were new in each second; covers so many seconds that a run does not wrap around. */
    private final AtomicLongArray namesPerSecond = new AtomicLongArray(8192);
    /** Kept until they end: a dropped handle is another matter. */
    private final Set<LockHandle> abandoned = ConcurrentHashMap.newKeySet();
    private volatile boolean stopping;

    SoakWork(String process, LockManager locks) {
        this.process = process;
        for (SoakCycles.Kind each : SoakCycles.Kind.values()) {
            done.put(each, new AtomicLong());
        }
        cycles = new SoakCycles(locks, this::freshName, this::abandon);
    }

    /** Runs each kind once in each style, to get slow first uses over with; then all the time. */
    void start() throws Exception {
        var once = new SplittableRandom(0);
        for (SoakCycles.Kind kind : SoakCycles.Kind.values()) {
            for (SoakCycles.Style style : SoakCycles.Style.values()) {
                try {
                    cycles.run(kind, style, once);
                } catch (LockBusyException | LockBackendException e) {
                    // It is not counted yet
                }
            }
        }
        for (int i = 0; i < THREADS; i++) {
            var random = new SplittableRandom(process.hashCode() * 31L + i);
            SoakCycles.Style style = SoakCycles.Style.values()[i % SoakCycles.Style.values().length];
            var thread = new Thread(() -> work(style, random), process + "-" + i);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    private void work(SoakCycles.Style style, SplittableRandom random) {
        while (!stopping) {
            long next = System.nanoTime() + PACE;
            SoakCycles.Kind kind = SoakCycles.Kind.any(random);
            try {
                if (!cycles.run(kind, style, random)) {
                    busy.incrementAndGet();
                }
                done.get(kind).incrementAndGet();
            } catch (LockBusyException e) {
                busy.incrementAndGet();
                done.get(kind).incrementAndGet();
            } catch (LockLostException e) {
                lost.incrementAndGet();
                complain(kind, e);
            } catch (LockBackendException e) {
                unanswered.incrementAndGet();
                complain(kind, e);
            } catch (Exception | Error e) {
                errors.incrementAndGet();
                complain(kind, e);
            }
            for (long left = next - System.nanoTime(); left > 0 && !stopping; left = next - System.nanoTime()) {
                LockSupport.parkNanos(left); // the pace sets the load
            }
        }
    }

    private void complain(SoakCycles.Kind kind, Throwable e) {
        if (errors.get() + lost.get() + unanswered.get() <= COMPLAINTS) {
            new IllegalStateException(process + ": " + kind, e).printStackTrace();
        }
    }

    private String freshName() {
        namesPerSecond.incrementAndGet(second());
        return "fresh-" + process + "-" + names.incrementAndGet();
    }

    private int second() {
        return (int) (TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - started) % namesPerSecond.length());
    }

    private void abandon(LockHandle hold) {
        abandoned.add(hold);
        hold.onLost(() -> abandoned.remove(hold));
    }

    /** How many names were new in the last seconds. */
    long namesOfLast(long seconds) {
        long sum = 0;
        for (int at = second(), i = 0; i <= Math.min(seconds, at); i++) {
            sum += namesPerSecond.get(at - i);
        }
        return sum;
    }

    Map<String, Long> counts() {
        var counts = new TreeMap<String, Long>();
        done.forEach((kind, count) -> counts.put(kind.toString(), count.get()));
        counts.put("busy", busy.get());
        counts.put("lost", lost.get());
        counts.put("unanswered", unanswered.get());
        counts.put("errors", errors.get());
        counts.put("abandoned", (long) abandoned.size());
        return counts;
    }

    /** Returns when the last cycles have ended. */
    void stop(Duration atMost) throws InterruptedException {
        stopping = true;
        long deadline = System.nanoTime() + atMost.toNanos();
        for (Thread each : threads) {
            TimeUnit.NANOSECONDS.timedJoin(each, Math.max(1, deadline - System.nanoTime()));
            if (each.isAlive()) {
                throw new IllegalStateException(each.getName() + " does not end: " + List.of(each.getStackTrace()));
            }
        }
    }
}
