package io.quarkiverse.lock.engine.state;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.quarkiverse.lock.engine.state.HoldNews.OtherThreads;

/** The stages of the handles whose users want to know when a hold's release is requested; like those of {@link LossNews}. */
public final class RequestNews extends Guard {

    private static final long serialVersionUID = 1L;

    private final transient List<CompletableFuture<Void>> stages = new ArrayList<>(1);
    private transient boolean told;

    /** The stage is completed by {@link #tell}, or now if that is over. */
    public void add(CompletableFuture<Void> stage) {
        boolean now;
        lock();
        try {
            now = told;
            if (!now) {
                stages.add(stage);
            }
        } finally {
            unlock();
        }
        if (now) {
            stage.complete(null);
        }
    }

    public void remove(CompletableFuture<Void> stage) {
        lock();
        try {
            stages.remove(stage); // a future is equal only to itself
        } finally {
            unlock();
        }
    }

    /**
     * A second call does nothing. What follows one stage delays no other.
     *
     * @param others where each stage is completed
     */
    public void tell(Executor others) {
        List<CompletableFuture<Void>> waiting;
        lock();
        try {
            told = true;
            waiting = List.copyOf(stages);
            stages.clear();
        } finally {
            unlock();
        }
        for (CompletableFuture<Void> stage : waiting) {
            OtherThreads.runOrHere(others, () -> stage.complete(null));
        }
    }
}
