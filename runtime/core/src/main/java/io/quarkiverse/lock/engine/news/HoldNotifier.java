package io.quarkiverse.lock.engine.news;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.HoldNews;
import io.quarkiverse.lock.engine.state.HoldNews.OtherThreads;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.LossNews;
import io.quarkiverse.lock.text.PrintableName;

/** Tells the users of holds what has happened to them, on {@linkplain NewsThreads threads for news}. */
public final class HoldNotifier {

    private static final Logger LOG = Logger.getLogger(HoldNotifier.class);

    private final Executor newsThreads;

    public HoldNotifier(Executor newsThreads) {
        this.newsThreads = newsThreads;
    }

    /** It has just been lost. */
    public void lost(LockHold hold) {
        HoldNews news = hold.newsIfAny();
        if (news != null) {
            news.lost.interruptBodies();
            tell(news.lost, hold);
        }
    }

    /** Its release has just been requested. */
    public void releaseRequested(LockHold hold) {
        newsThreads.execute(() -> hold.news().requested().tell(newsThreads));
    }

    /** Notifies on a news thread when the hold is lost, which may turn out only at its release; never on a normal release. */
    public LossNews lossNews(LockHold hold) {
        LossNews known = hold.news().lost;
        if (hold.markedLost()) { // perhaps before anybody listened
            tell(known, hold);
        }
        return known;
    }

    /** Runs a user's callback, which may block and may fail, on a news thread. */
    public void run(Runnable callback, LockLostException loss) {
        OtherThreads.runOrHere(newsThreads, () -> {
            try {
                callback.run();
            } catch (Throwable e) { // nobody else could catch it
                LOG.errorf(e, "A callback for the loss of lock '%s' failed", PrintableName.of(loss.lockName()));
            }
        });
    }

    /**
     * Runs a user's callback, which may block and may fail, once somebody asks for the lock: on a news thread; at once, on the
     * current thread, if that has already happened.
     */
    public void onRequest(CompletableFuture<Void> requested, Runnable callback, String lockName) {
        if (requested.isDone()) {
            requested(callback, lockName);
        } else {
            requested.thenRun(() -> OtherThreads.runOrHere(newsThreads, () -> requested(callback, lockName)));
        }
    }

    private static void requested(Runnable callback, String lockName) {
        try {
            callback.run();
        } catch (Throwable e) { // nobody else could catch it
            LOG.errorf(e, "A callback for the request to release lock '%s' failed", PrintableName.of(lockName));
        }
    }

    private void tell(LossNews news, LockHold hold) {
        newsThreads.execute(() -> news.tell(hold::loss, newsThreads));
    }

    /** Until {@link #unwatch}, notifies the listener when a hold is lost whose loss is a failure. */
    public void watch(Held held, LossNews.Listener listener) {
        for (int i = 0; i < held.size(); i++) {
            if (held.get(i).failsOnLoss()) {
                lossNews(held.get(i)).add(listener);
            }
        }
    }

    public static void unwatch(Held held, LossNews.Listener listener) {
        for (int i = 0; i < held.size(); i++) {
            if (held.get(i).failsOnLoss()) {
                held.get(i).stopTelling(listener);
            }
        }
    }
}
