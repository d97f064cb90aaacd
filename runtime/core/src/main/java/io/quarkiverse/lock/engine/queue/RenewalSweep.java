package io.quarkiverse.lock.engine.queue;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.quarkiverse.lock.spi.Grant;

/**
 * Renews many grants in batches, with only a few under way at once: each batch then has the whole operation timeout, and other
 * requests to the backend need not queue behind all of them.
 */
public final class RenewalSweep {

    /** Sends one batch, and calls back once with its outcome. */
    public interface Sender {

        void send(List<Grant> batch, Runnable answered);
    }

    private static final int BATCH = 500;
    private static final int AT_ONCE = 4;

    private final List<Grant> due;
    private final Sender sender;
    /**
     * How many batches may be sent now. If an answer arrives before its request returns, the running loop sends the next batch,
     * instead of a nested one.
     */
    private final AtomicInteger free = new AtomicInteger();
    private int next;

    public RenewalSweep(List<Grant> due, Sender sender) {
        this.due = due;
        this.sender = sender;
    }

    public void start() {
        free(AT_ONCE);
    }

    private void free(int more) {
        if (free.getAndAdd(more) > 0) {
            return;
        }
        try {
            do {
                if (next < due.size()) {
                    int end = Math.min(due.size(), next + BATCH);
                    sender.send(List.copyOf(due.subList(next, end)), () -> free(1));
                    next = end;
                }
            } while (free.decrementAndGet() > 0);
        } catch (RuntimeException | Error e) { // such as no memory
            free.set(0); // the next answer continues
            throw e;
        }
    }
}
