package io.quarkiverse.lock.engine.acquire;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.LossNews;

/** The scopes that one thread is in, one inside the other. */
final class OpenScopes {

    private final List<LockHold> holds = new ArrayList<>();
    /** Scopes of a hold that is in the list already count, too. */
    private int depth;
    private @Nullable List<Listening> listening;

    /** Somebody in the scope of that depth who is to hear of losses. */
    private record Listening(LossNews.Listener listener, int depth) {
    }

    /** The innermost last. */
    List<LockHold> holds() {
        return holds;
    }

    void begin(LockHold hold) {
        holds.add(hold);
        depth++;
    }

    void end() {
        holds.remove(holds.size() - 1);
        endAgain();
    }

    /** A scope of a hold that is in the list already. */
    void beginAgain() {
        depth++;
    }

    void endAgain() {
        depth--;
        if (listening != null) {
            forgetInner(listening);
        }
    }

    /** The listener has been added to all holds in the list. */
    void listensUntilEnd(LossNews.Listener listener) {
        if (listening == null) {
            listening = new ArrayList<>(1);
        }
        listening.add(new Listening(listener, depth));
    }

    /** Not by the hold whose scope has ended: its loss may still be found by its release, and it ends with that anyway. */
    private void forgetInner(List<Listening> all) {
        for (int i = all.size() - 1; i >= 0 && all.get(i).depth > depth; i--) {
            for (LockHold hold : holds) {
                if (!hold.markedLost()) { // else it was lost before, and is about to tell that
                    hold.stopTelling(all.get(i).listener);
                }
            }
            all.remove(i);
        }
    }
}
