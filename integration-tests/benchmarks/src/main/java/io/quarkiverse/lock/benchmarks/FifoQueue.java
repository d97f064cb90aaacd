package io.quarkiverse.lock.benchmarks;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** No distributed lock: the least that handing one lock on from thread to thread, first come first served, can cost. */
final class FifoQueue implements Peer, Mutex {

    private final AtomicInteger wanting = new AtomicInteger();
    private final Queue<Turn> turns = new ConcurrentLinkedQueue<>();

    @Override
    public Mutex mutex(String name) {
        return this;
    }

    @Override
    public void lock() {
        if (wanting.getAndIncrement() > 0) {
            var turn = new Turn(Thread.currentThread());
            turns.add(turn);
            while (!turn.come) {
                LockSupport.park(this);
            }
        }
    }

    @Override
    public void unlock() {
        if (wanting.decrementAndGet() > 0) {
            Turn next;
            // Who wants it has counted before it queued
            while ((next = turns.poll()) == null) {
                Thread.onSpinWait();
            }
            next.come = true;
            LockSupport.unpark(next.thread);
        }
    }

    @Override
    public void close() {
    }

    private static final class Turn {

        final Thread thread;
        volatile boolean come;

        Turn(Thread thread) {
            this.thread = thread;
        }
    }
}
