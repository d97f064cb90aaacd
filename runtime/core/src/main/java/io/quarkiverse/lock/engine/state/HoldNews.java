package io.quarkiverse.lock.engine.state;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import org.jspecify.annotations.Nullable;

/** What a hold's users may be told about it, and what they have changed. Created on demand, so most holds have none. */
public final class HoldNews {

    private static final long UNCHANGED = -1;

    private static final AtomicReferenceFieldUpdater<HoldNews, RequestNews> REQUESTED = AtomicReferenceFieldUpdater
            .newUpdater(HoldNews.class, RequestNews.class, "requested");

    public final LossNews lost = new LossNews();
    /** {@code null} if nobody follows the hold. Set before the hold is shared. */
    public @Nullable HoldTrace trace;
    /** Set before the listeners are notified, on threads of their own. Set under the queue's guard. */
    volatile boolean asked;
    /** Whether something under the hold has failed because the hold could not be confirmed. Never reset. */
    public volatile boolean unconfirmed;
    private volatile @Nullable RequestNews requested;
    private volatile long holdAtLeastNanos = UNCHANGED;
    private volatile long leaseNanos = UNCHANGED;

    long holdAtLeastNanos(HoldSettings settings) {
        long changed = holdAtLeastNanos;
        return changed == UNCHANGED ? settings.holdAtLeastNanos() : changed;
    }

    void holdAtLeastNanos(long nanos) {
        holdAtLeastNanos = nanos;
    }

    long leaseNanos(HoldSettings settings) {
        long changed = leaseNanos;
        return changed == UNCHANGED ? settings.leaseNanos() : changed;
    }

    boolean holdAtLeastChanged() {
        return holdAtLeastNanos != UNCHANGED;
    }

    void leaseNanos(long nanos) {
        leaseNanos = nanos;
    }

    /** Created when a listener asks for it: every reactive hold has listeners for its loss, but few have any for this. */
    public RequestNews requested() {
        RequestNews known = requested;
        if (known == null) {
            known = new RequestNews();
            if (!REQUESTED.compareAndSet(this, null, known)) {
                known = requested;
            }
        }
        return known;
    }

    /**
     * For news that must reach everybody, even if no other thread is available for some of it. The news itself throws nothing.
     */
    public static final class OtherThreads {

        private OtherThreads() {
        }

        /** {@code false} if no other thread is available: the current one has to do it. */
        static boolean run(Executor others, Runnable news) {
            try {
                others.execute(news);
                return true;
            } catch (RuntimeException | Error e) {
                return false;
            }
        }

        /** There, or here if no other thread is available. */
        public static void runOrHere(Executor others, Runnable news) {
            if (!run(others, news)) {
                news.run();
            }
        }
    }
}
