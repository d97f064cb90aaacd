package io.quarkiverse.lock.local;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.LockTime;

/**
 * Time that stands still until a test moves it. Timers run on the thread that moves it, in order of their times.
 *
 * <pre>{@code
 * time.advance(Duration.ofSeconds(30)); // whatever is due in these 30 s has happened when this returns
 * }</pre>
 */
public final class VirtualTime implements LockTime {

    private static final long WALL_START_MILLIS = 1_700_000_000_000L;

    private final ReentrantLock guard = new ReentrantLock();
    private final PriorityQueue<Task> tasks = new PriorityQueue<>();
    private final Set<Thread> parked = ConcurrentHashMap.newKeySet();
    private volatile long now = 1;
    private volatile long wallShiftMillis;
    private long tasksMade;

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public long wallMillis() {
        return WALL_START_MILLIS + now / 1_000_000 + wallShiftMillis;
    }

    /** Moves only the wall clock, as happens when it is set, or when the machine was suspended. */
    public void shiftWallClock(Duration shift) {
        wallShiftMillis += shift.toMillis();
    }

    /** Advances time; timers that become due run at their times, on this thread. */
    public void advance(Duration duration) {
        long target = now + duration.toNanos();
        for (Task task = nextUntil(target); task != null; task = nextUntil(target)) {
            task.run.run();
        }
        now = target;
        parked.forEach(LockSupport::unpark);
    }

    /** Advances time without running timers, as in a paused JVM; due timers run when time is next advanced. */
    public void pause(Duration duration) {
        now += duration.toNanos();
        parked.forEach(LockSupport::unpark);
    }

    private @Nullable Task nextUntil(long target) {
        guard.lock();
        try {
            Task task = tasks.peek();
            if (task == null || task.at > target) {
                return null;
            }
            tasks.poll();
            now = Math.max(now, task.at);
            return task;
        } finally {
            guard.unlock();
        }
    }

    @Override
    public Timer schedule(long delayNanos, Runnable run) {
        guard.lock();
        try {
            Task task = new Task(now + Math.max(0, delayNanos), tasksMade++, run);
            tasks.add(task);
            return () -> cancel(task);
        } finally {
            guard.unlock();
        }
    }

    private void cancel(Task task) {
        guard.lock();
        try {
            tasks.remove(task);
        } finally {
            guard.unlock();
        }
    }

    /** The number of timers that have not run yet. */
    public int timers() {
        guard.lock();
        try {
            return tasks.size();
        } finally {
            guard.unlock();
        }
    }

    /** The number of threads waiting for time to pass, or to be woken. */
    public int parkedThreads() {
        return parked.size();
    }

    @Override
    public void park(Object blocker, long nanos) {
        long before = now;
        parked.add(Thread.currentThread());
        try {
            if (now == before) { // else time has advanced since
                LockSupport.park(blocker);
            }
        } finally {
            parked.remove(Thread.currentThread());
        }
    }

    private record Task(long at, long order, Runnable run) implements Comparable<Task> {

        @Override
        public int compareTo(Task other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
        }
    }
}
