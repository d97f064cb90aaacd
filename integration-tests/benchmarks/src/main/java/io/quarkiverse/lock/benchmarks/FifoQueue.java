package io.quarkiverse.lock.benchmarks;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Not a distributed lock: the minimum cost of handing a lock from thread to thread, first come, first served. */
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
            // A waiter counts itself before it queues
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
