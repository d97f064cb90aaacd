package io.quarkiverse.lock.engine.thread;

import java.util.concurrent.Executor;

/** Changes some of what other {@link CallerThreads} do. */
interface ForwardingCallerThreads extends CallerThreads {

    CallerThreads threads();

    @Override
    default boolean blockingForbidden() {
        return threads().blockingForbidden();
    }

    @Override
    default RuntimeException blockingRefused(String message) {
        return threads().blockingRefused(message);
    }

    @Override
    default Executor here() {
        return threads().here();
    }

    @Override
    default Object work() {
        return threads().work();
    }

    @Override
    default Executor workers() {
        return threads().workers();
    }

    @Override
    default Executor onAnyThread(Executor here) {
        return threads().onAnyThread(here);
    }

    @Override
    default boolean workersNeverRunOut() {
        return threads().workersNeverRunOut();
    }
}
