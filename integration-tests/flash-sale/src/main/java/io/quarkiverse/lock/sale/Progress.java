package io.quarkiverse.lock.sale;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/** The progress of a sale, as seen by the node that started it. */
class Progress {

    private final Sale sale;
    private final long started = System.nanoTime();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger confirmed = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicLong tookNanos = new AtomicLong();
    private volatile Masters.@Nullable Fall fall;

    Progress(Sale sale) {
        this.sale = sale;
    }

    Sale sale() {
        return sale;
    }

    /**
     * @param sold whether the buyer was told that it got an item
     * @return how many have got an item so far
     */
    int answered(boolean sold) {
        int all = sold ? confirmed.incrementAndGet() : confirmed.get();
        answered.incrementAndGet();
        noteEnd();
        return all;
    }

    int confirmed() {
        return confirmed.get();
    }

    void fell(Masters.Fall fall) {
        this.fall = fall;
    }

    Masters.@Nullable Fall fall() {
        return fall;
    }

    void failed() {
        failed.incrementAndGet();
        noteEnd();
    }

    int failures() {
        return failed.get();
    }

    int waiting() {
        return sale.buyers() - answered.get() - failed.get();
    }

    boolean done() {
        return tookNanos.get() > 0;
    }

    long tookMillis() {
        long nanos = done() ? tookNanos.get() : System.nanoTime() - started;
        return nanos / 1_000_000;
    }

    private void noteEnd() {
        if (waiting() == 0) {
            tookNanos.compareAndSet(0, Math.max(1, System.nanoTime() - started));
        }
    }
}
