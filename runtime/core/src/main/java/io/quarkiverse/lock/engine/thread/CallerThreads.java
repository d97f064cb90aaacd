package io.quarkiverse.lock.engine.thread;

import java.util.concurrent.Executor;

/** The threads that callers and their code run on. Quarkus brings one that knows Vert.x; this is for everything else. */
public interface CallerThreads {

    /** Whether the current thread must not block. */
    boolean blockingForbidden();

    /** What a blocking call fails with where {@link #blockingForbidden}. */
    default RuntimeException blockingRefused(String message) {
        return new IllegalStateException(message);
    }

    /**
     * Leads back to where the current thread is: its Vert.x context, or a worker. Called when an asynchronous wait begins.
     * If it rejects work with a {@link java.util.concurrent.RejectedExecutionException}, a lock that is granted goes back,
     * and the caller gets a failure on whatever thread has brought the grant.
     */
    Executor here();

    /** For callers who have no context to be led back to. */
    Executor workers();

    /**
     * Where a caller whose place is {@code here} hears of a loss: there. If any worker would do, the current thread does, too,
     * and nobody waits for a worker that may be waiting for the lock.
     */
    default Executor forNews(Executor here) {
        return here == workers() ? Runnable::run : here;
    }

    /**
     * Whether one of the {@link #workers} is free however many of them wait for locks. Otherwise callbacks of users, such as
     * {@code onLost}, run on threads of the engine's own.
     */
    default boolean workersNeverRunOut() {
        return false;
    }

    /**
     * Blocking is fine everywhere, and everything runs on {@code workers}.
     *
     * @param workers an executor that makes as many threads as it needs, or needs none
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
