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
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;

/**
 * Lists one page after another on a thread that ends soon after the last of them, so that this JVM has only one extra client at
 * a time. Callers are answered on another thread, where they may ask for the next page and wait for it.
 */
public final class ListThread implements AutoCloseable {

    private final Listing listing;
    private final long timeoutNanos;
    private final ErrorMessages errors;
    private final ThreadPoolExecutor thread;
    private volatile boolean closed;

    /** @param timeout for one page and the pages before it */
    public ListThread(Listing listing, Duration timeout, ErrorMessages errors) {
        this(listing, timeout, errors, task -> {
            var thread = new Thread(task, "quarkus-lock-zookeeper-list");
            thread.setDaemon(true);
            return thread;
        });
    }

    ListThread(Listing listing, Duration timeout, ErrorMessages errors, ThreadFactory threads) {
        this.listing = listing;
        this.timeoutNanos = timeout.toNanos();
        this.errors = errors;
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
        return page.emitOn(Infrastructure.getDefaultExecutor());
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
