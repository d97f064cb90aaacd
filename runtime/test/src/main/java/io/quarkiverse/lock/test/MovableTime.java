package io.quarkiverse.lock.test;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;

import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.SystemTime;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkus.arc.Unremovable;

/**
 * Advances like real time, and can be moved ahead of it. Timers always run in the order of their times, so that a test that
 * never moves the time notices nothing. What is due in a skipped hour happens as if the hour had passed.
 */
@Singleton
@Unremovable
class MovableTime implements LockTime {

    /** Waiters check the time at least this often, and so see it move. */
    private static final long LONGEST_PARK = 10_000_000;

    private final SystemTime real = new SystemTime();
    private final ReentrantLock guard = new ReentrantLock();
    /** Held by the thread that runs timers, so that no two timers run at once or out of order. */
    private final ReentrantLock turn = new ReentrantLock();
    private final PriorityQueue<Task> tasks = new PriorityQueue<>();
    private volatile long ahead;
    private @Nullable Timer alarm;
    private long tasksMade;

    @Override
    public long nanoTime() {
        return real.nanoTime() + ahead;
    }

    @Override
    public long wallMillis() {
        return real.wallMillis() + ahead / 1_000_000;
    }

    /** Timers that become due run on this thread. */
    void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("advance() cannot move time back, but was given " + duration);
        }
        turn.lock();
        try {
            long target = nanoTime() + duration.toNanos();
            for (Task task = nextUntil(target); task != null; task = nextUntil(target)) {
                moveTo(task.at);
                task.run.run();
            }
            moveTo(target);
        } finally {
            turn.unlock();
        }
        setAlarm();
    }

    private void moveTo(long time) {
        ahead += Math.max(0, time - nanoTime()); // only under the turn
    }

    @Override
    public Timer schedule(long delayNanos, Runnable run) {
        Task task;
        guard.lock();
        try {
            task = new Task(nanoTime() + Math.max(0, delayNanos), tasksMade++, run);
            tasks.add(task);
        } finally {
            guard.unlock();
        }
        setAlarm();
        return () -> cancel(task);
    }

    private void cancel(Task task) {
        guard.lock();
        try {
            tasks.remove(task);
        } finally {
            guard.unlock();
        }
    }

    /** Real time triggers the next timer. */
    private void setAlarm() {
        guard.lock();
        try {
            if (alarm != null) {
                alarm.cancel();
            }
            Task next = tasks.peek();
            alarm = next == null ? null : real.schedule(next.at - nanoTime(), this::runDue);
        } finally {
            guard.unlock();
        }
    }

    private void runDue() {
        turn.lock();
        try {
            for (Task task = nextUntil(nanoTime()); task != null; task = nextUntil(nanoTime())) {
                task.run.run();
            }
        } finally {
            turn.unlock();
            setAlarm();
        }
    }

    private @Nullable Task nextUntil(long target) {
        guard.lock();
        try {
            Task task = tasks.peek();
            return task == null || task.at - target > 0 ? null : tasks.poll();
        } finally {
            guard.unlock();
        }
    }

    @Override
    public void park(Object blocker, long nanos) {
        real.park(blocker, Math.min(nanos, LONGEST_PARK));
    }

    @PreDestroy
    void stop() {
        real.close();
    }

    private record Task(long at, long order, Runnable run) implements Comparable<Task> {

        @Override
        public int compareTo(Task other) {
            return at != other.at ? Long.compare(at - other.at, 0) : Long.compare(order, other.order);
        }
    }
}
