package io.quarkiverse.lock.zookeeper.query;

import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.spi.Outcome;
import io.quarkiverse.lock.spi.support.ListedNames;
import io.quarkiverse.lock.zookeeper.errors.ErrorMessages;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;

/**
 * Lists one page after another on a thread that ends soon after the last of them, so that this JVM has only one extra client at
 * a time. Each page is answered on a thread of its own: a caller may wait there for the next page, and all threads of the
 * application may be waiting for the locks that somebody wants to see.
 */
public final class ListThread implements AutoCloseable {

    private final Listing listing;
    private final long timeoutNanos;
    private final ErrorMessages errors;
    private final ThreadFactory threads;
    private final ThreadPoolExecutor thread;
    private volatile boolean closed;

    /** @param timeout for one page and the pages before it */
    public ListThread(Listing listing, Duration timeout, ErrorMessages errors) {
        this(listing, timeout, errors, daemons());
    }

    private static ThreadFactory daemons() {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        return task -> {
            var thread = new Thread(task, "quarkus-lock-zookeeper-list");
            thread.setDaemon(true);
            thread.setContextClassLoader(loader); // callers continue on such a thread
            return thread;
        };
    }

    ListThread(Listing listing, Duration timeout, ErrorMessages errors, ThreadFactory threads) {
        this.listing = listing;
        this.timeoutNanos = timeout.toNanos();
        this.errors = errors;
        this.threads = threads;
        this.thread = new ThreadPoolExecutor(0, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
    }

    public Uni<LockQuery.Page> page(LockQuery query) {
        Uni<LockQuery.Page> page = new AbstractUni<>() {
            @Override
            public void subscribe(UniSubscriber<? super LockQuery.Page> subscriber) {
                var outcome = new Outcome<LockQuery.Page>(subscriber);
                subscriber.onSubscribe(outcome);
                long deadline = System.nanoTime() + timeoutNanos;
                try {
                    thread.execute(() -> list(query, deadline, outcome));
                } catch (RejectedExecutionException e) {
                    outcome.fail(errors.closed(ListedNames.of(query)));
                } catch (Error e) { // there is no thread for it
                    outcome.fail(errors.noList(ListedNames.of(query), e));
                }
            }
        };
        return page.emitOn(this::answer);
    }

    private void answer(Runnable answer) {
        try {
            threads.newThread(answer).start();
        } catch (Error e) { // there is no thread for it
            answer.run();
        }
    }

    private void list(LockQuery query, long deadline, Outcome<LockQuery.Page> outcome) {
        if (closed) {
            outcome.fail(errors.closed(ListedNames.of(query)));
        } else if (!outcome.over()) {
            listing.page(query, deadline, outcome);
        }
    }

    /** Ends the page that is being listed, and the pages that wait for it. */
    @Override
    public void close() {
        closed = true;
        thread.shutdownNow().forEach(Runnable::run);
    }
}
