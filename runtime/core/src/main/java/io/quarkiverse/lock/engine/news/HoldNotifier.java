package io.quarkiverse.lock.engine.news;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.HoldNews;
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

    /** Its release has just been asked for. */
    public void releaseRequested(LockHold hold) {
        CompletableFuture<Void> told = hold.news().releaseRequested();
        newsThreads.execute(() -> told.complete(null));
    }

    /**
     * Completes on a thread for news when it is lost, which may be found only by its release; never when it is released
     * normally.
     */
    public CompletionStage<LockLostException> whenLost(LockHold hold) {
        return lossNews(hold).stage();
    }

    /** Completes on a thread for news when somebody asks for its release. */
    public CompletionStage<Void> whenReleaseRequested(LockHold hold) {
        return hold.news().releaseRequested();
    }

    /** Tells as {@link #whenLost} does. */
    public LossNews lossNews(LockHold hold) {
        LossNews known = hold.news().lost;
        if (hold.markedLost()) { // perhaps before there was anybody to tell
            tell(known, hold);
        }
        return known;
    }

    /** Runs a callback of a user, which may block and may fail, on a thread for news. */
    public void run(Runnable callback, LockLostException loss) {
        newsThreads.execute(() -> {
            try {
                callback.run();
            } catch (Throwable e) { // there is nobody who could catch it
                LOG.errorf(e, "A callback failed that was told of the loss of lock '%s'", PrintableName.of(loss.lockName()));
            }
        });
    }

    private void tell(LossNews news, LockHold hold) {
        newsThreads.execute(() -> news.tell(hold::loss));
    }

    /** Notifies the listener when one is lost whose loss is a failure, until {@link #unwatch}. */
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
