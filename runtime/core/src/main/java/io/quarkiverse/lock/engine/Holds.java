package io.quarkiverse.lock.engine;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.smallrye.mutiny.Uni;

/**
 * What one caller has of several names so far, in their order. The holds are added one after the other, by whatever thread has
 * the word.
 */
public final class Holds implements Held {

    private final Hold[] holds;
    private volatile int size;

    /** @param names how many there will be */
    Holds(int names) {
        holds = new Hold[names];
    }

    void add(Hold hold) {
        holds[size] = hold;
        size = size + 1;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public Hold get(int index) {
        return holds[index];
    }

    @Override
    public String name() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            names.add(holds[i].name());
        }
        return String.join(", ", names);
    }

    /** The last one, if it was refused: there are none then. */
    public @Nullable Hold refused() {
        int last = size - 1;
        return last >= 0 && holds[last].refused() ? holds[last] : null;
    }

    /** One whose validity is in doubt for a moment is not lost: with a single name, too, one goes on with that. */
    boolean noneLost() {
        for (int i = 0; i < size; i++) {
            if (holds[i].lostForGood()) {
                return false;
            }
        }
        return size == holds.length;
    }

    /** Of the first that is lost. */
    LockLostException loss() {
        for (int i = 0; i < size; i++) {
            if (holds[i].lostForGood()) {
                return holds[i].loss();
            }
        }
        return holds[0].loss();
    }

    @Override
    public Uni<Void> leave() {
        return leave(true);
    }

    /**
     * Gives back what there is before anything has run under it, the last one first; what fails is logged and tried again where
     * it failed.
     */
    Uni<Void> giveBack() {
        return leave(false);
    }

    private Uni<Void> leave(boolean used) {
        List<Uni<Void>> releases = new ArrayList<>(size);
        for (int i = size - 1; i >= 0; i--) {
            if (!holds[i].refused()) {
                Uni<Void> release = used ? holds[i].leave() : holds[i].leaveUnused();
                if (release != Nothing.UNI) {
                    releases.add(release);
                }
            }
        }
        return releases.isEmpty() ? Nothing.UNI : Uni.join().all(releases).andCollectFailures().replaceWithVoid();
    }

    /** {@link #giveBack}, and waits for the backend's answers as far as the thread may. */
    public void giveBackBlocking() {
        Uni<Void> given = giveBack();
        if (given != Nothing.UNI) {
            LockEngine engine = holds[0].engine();
            if (!engine.threads().blockingForbidden()) {
                BlockingRelease.await(given, holds[0], engine);
            }
        }
    }
}
