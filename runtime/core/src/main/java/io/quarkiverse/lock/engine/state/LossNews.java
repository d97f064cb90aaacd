package io.quarkiverse.lock.engine.state;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.text.PrintableName;

/**
 * Who is to hear of the loss of a hold: the stage that users have, and what runs under the hold. The latter stops listening
 * when it has ended, which the dependents of a stage cannot: they would pile up under a hold that outlives them.
 */
public final class LossNews extends Guard {

    private static final long serialVersionUID = 1L;
    private static final Logger LOG = Logger.getLogger(LossNews.class);

    /** What runs under a hold. */
    public interface Listener {

        /** On a thread for news; on the caller's if it was lost before. */
        void lost(LockLostException loss);
    }

    private final transient List<Listener> listeners = new ArrayList<>(1);
    private transient @Nullable CompletableFuture<LockLostException> stage;
    private transient @Nullable Supplier<LockLostException> told;

    public CompletionStage<LockLostException> stage() {
        lock();
        try {
            if (stage == null) {
                stage = told == null ? new CompletableFuture<>() : CompletableFuture.completedFuture(told.get());
            }
            return stage;
        } finally {
            unlock();
        }
    }

    public void add(Listener listener) {
        Supplier<LockLostException> before;
        lock();
        try {
            before = told;
            if (before == null) {
                listeners.add(listener);
            }
        } finally {
            unlock();
        }
        if (before != null) {
            listener.lost(before.get());
        }
    }

    /** Mostly the last one that was added. */
    void remove(Listener listener) {
        lock();
        try {
            for (int i = listeners.size() - 1; i >= 0; i--) {
                if (listeners.get(i) == listener) {
                    listeners.remove(i);
                    return;
                }
            }
        } finally {
            unlock();
        }
    }

    /** Runs nobody's code, so it is done by whoever notices the loss, and no thread has to be free for it. */
    public void interruptBodies() {
        List<Listener> listening;
        lock();
        try {
            listening = List.copyOf(listeners);
        } finally {
            unlock();
        }
        for (Listener listener : listening) {
            if (listener instanceof LossInterrupt interrupt) {
                interrupt.deliver();
            }
        }
    }

    /**
     * A second time does nothing. The innermost hears of it first, so that what is around it sees how it has ended.
     *
     * @param loss a new one for each of them: all may add to it what else goes wrong there
     */
    public void tell(Supplier<LockLostException> loss) {
        List<Listener> listening;
        CompletableFuture<LockLostException> waiting;
        lock();
        try {
            if (told != null) {
                return;
            }
            told = loss;
            listening = List.copyOf(listeners);
            listeners.clear();
            waiting = stage;
        } finally {
            unlock();
        }
        for (int i = listening.size() - 1; i >= 0; i--) {
            try {
                listening.get(i).lost(loss.get());
            } catch (Throwable e) { // it is the users', and those around it are to hear of the loss all the same
                LOG.warnf(e, "Something under lock '%s' failed when it was told of the loss",
                        PrintableName.of(loss.get().lockName()));
            }
        }
        if (waiting != null) {
            waiting.complete(loss.get());
        }
    }
}
