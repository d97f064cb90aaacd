package io.quarkiverse.lock.engine.thread;

import io.quarkiverse.lock.spi.support.AnsweringThread;

/** Forbids blocking on the thread that brings the store's answers as well. */
public record OffAnsweringThread(CallerThreads threads, AnsweringThread store) implements ForwardingCallerThreads {

    /** The message speaks of event loops, and the caller may never have heard of one. */
    private static final String HOW = " (this is the thread on which the store answers: hand the work over to another thread)";

    @Override
    public boolean blockingForbidden() {
        return threads.blockingForbidden() || store.onAnsweringThread();
    }

    @Override
    public RuntimeException blockingRefused(String message) {
        return threads.blockingRefused(store.onAnsweringThread() ? message + HOW : message);
    }
}
