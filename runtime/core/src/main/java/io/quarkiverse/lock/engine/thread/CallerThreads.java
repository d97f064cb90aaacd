package io.quarkiverse.lock.engine.thread;

import java.util.concurrent.Executor;

/**
 * The threads that callers and their code run on. Quarkus provides an implementation that knows Vert.x; this one is for
 * everything else.
 */
public interface CallerThreads {

    /** Whether the current thread must not block. */
    boolean blockingForbidden();

    /** What a blocking call fails with where {@link #blockingForbidden}. */
    default RuntimeException blockingRefused(String message) {
        return new IllegalStateException(message);
    }

    /**
     * An executor that leads back to where the current thread is: its Vert.x context, or a worker. Called when an asynchronous
     * wait begins. If it rejects work with a {@link java.util.concurrent.RejectedExecutionException}, and no other thread
     * will do, a granted lock goes back, and the caller gets a failure on the thread that brought the grant.
     */
    Executor here();

    /**
     * Identifies what the current thread works on, such as a request. A thread may turn to the next one while the previous one
     * goes on without a thread. The same object each time for the same work; always the same if nothing is known.
     */
    default Object work() {
        return CallerThreads.class;
    }

    /** For callers without a context to return to. */
    Executor workers();

    /**
     * For what must not wait until a worker is free, since all of them may be waiting for the lock.
     *
     * @return runs its tasks on the current thread, which may block, as if that were the place of a caller {@code here};
     *         {@code here} itself if no other thread will do, as for an event loop
     */
    default Executor onAnyThread(Executor here) {
        return here == workers() ? Runnable::run : here;
    }

    /**
     * Whether one of the {@link #workers} is always free, however many of them wait for locks. Otherwise user callbacks, such
     * as {@code onLost}, run on the engine's own threads.
     */
    default boolean workersNeverRunOut() {
        return false;
    }

    /**
     * Blocking is fine everywhere, and everything runs on {@code workers}.
     *
     * @param workers an executor that creates as many threads as it needs, or needs none
     */
    static CallerThreads plain(Executor workers) {
        return new CallerThreads() {
            @Override
            public boolean blockingForbidden() {
                return false;
            }

            @Override
            public Executor here() {
                return workers;
            }

            @Override
            public Executor workers() {
                return workers;
            }

            @Override
            public boolean workersNeverRunOut() {
                return true;
            }
        };
    }
}
