package io.quarkiverse.lock.engine.state;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.state.HoldNews.OtherThreads;
import io.quarkiverse.lock.text.PrintableName;

/**
 * The recipients of the news that a hold is lost: the stages of its users' handles, and whatever runs under the hold. All of
 * them are dropped when they end: they would pile up under a hold that outlives them.
 */
public final class LossNews extends Guard {

    private static final long serialVersionUID = 1L;
    private static final Logger LOG = Logger.getLogger(LossNews.class);

    /** Something that runs under a hold. */
    public interface Listener {

        /** Called on a news thread, or on the caller's if it was already lost. */
        void lost(LockLostException loss);
    }

    private final transient List<Listener> listeners = new ArrayList<>(1);
    private final transient List<CompletableFuture<LockLostException>> stages = new ArrayList<>(0);
    private transient @Nullable Supplier<LockLostException> told;

    /** The stage is completed by {@link #tell}, or now if that has begun. */
    public void add(CompletableFuture<LockLostException> stage) {
        Supplier<LockLostException> before;
        lock();
        try {
            before = told;
            if (before == null) {
                stages.add(stage);
            }
        } finally {
            unlock();
        }
        if (before != null) {
            stage.complete(before.get());
        }
    }

    void remove(CompletableFuture<LockLostException> stage) {
        lock();
        try {
            stages.remove(stage); // a future is equal only to itself
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

    /** Usually the one added last. */
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

    /** Runs no foreign code, so whichever thread notices the loss does it, and no other thread needs to be free. */
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
     * A second call does nothing. The innermost listener is told first, so that those around it see how it has ended. No
     * stage waits for the listeners, which may run what follows them in the application, nor for what follows another stage.
     *
     * @param loss supplies a new one for each listener: each may add its own further failures to it
     * @param others where each stage is completed
     */
    public void tell(Supplier<LockLostException> loss, Executor others) {
        List<Listener> listening;
        List<CompletableFuture<LockLostException>> waiting;
        lock();
        try {
            if (told != null) {
                return;
            }
            told = loss;
            listening = List.copyOf(listeners);
            listeners.clear();
            waiting = new ArrayList<>(stages);
            stages.clear();
        } finally {
            unlock();
        }
        waiting.removeIf(stage -> OtherThreads.run(others, () -> stage.complete(loss.get())));
        for (int i = listening.size() - 1; i >= 0; i--) {
            try {
                listening.get(i).lost(loss.get());
            } catch (Throwable e) { // it comes from user code, and the listeners around it must hear of the loss nevertheless
                LOG.warnf(e, "Something under lock '%s' failed when it was notified of the loss",
                        PrintableName.of(loss.get().lockName()));
            }
        }
        for (CompletableFuture<LockLostException> stage : waiting) {
            stage.complete(loss.get());
        }
    }
}
