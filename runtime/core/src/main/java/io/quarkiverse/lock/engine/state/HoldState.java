package io.quarkiverse.lock.engine.state;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * The life of a hold in one word. Exactly one caller makes each transition:
 *
 * <pre>
 * WAITING           → HELD               granted
 *                   → REFUSED            the wait is over, or has failed
 * HELD              ⇄ SUSPECT            the backend is in doubt, or has confirmed it
 * HELD, SUSPECT     → LOST
 *                   → REFUSED            granted, but not available after all: nothing has run under it
 *                   → RELEASED_UNUSED    by a caller that has done nothing under it
 * HELD              → RELEASED
 * SUSPECT           → RELEASED_IN_DOUBT  the next holder should get a grant of its own
 * RELEASED,
 * RELEASED_IN_DOUBT → LOST               the release found nothing, or news of the loss came first
 * </pre>
 */
public class HoldState {

    private static final AtomicIntegerFieldUpdater<HoldState> STATE = AtomicIntegerFieldUpdater.newUpdater(HoldState.class,
            "state");

    private static final int WAITING = 0;
    private static final int HELD = 1;
    private static final int SUSPECT = 2;
    private static final int LOST = 3;
    private static final int RELEASED = 4;
    private static final int REFUSED = 5;
    private static final int RELEASED_IN_DOUBT = 6;
    private static final int RELEASED_UNUSED = 7;

    private volatile int state;
    private boolean joined;

    public final boolean markGranted() {
        return STATE.compareAndSet(this, WAITING, HELD);
    }

    public final boolean markRefused() {
        return STATE.compareAndSet(this, WAITING, REFUSED);
    }

    public final boolean markSuspect() {
        return STATE.compareAndSet(this, HELD, SUSPECT);
    }

    public final boolean markConfirmed() {
        return STATE.compareAndSet(this, SUSPECT, HELD);
    }

    public final boolean markLost() {
        return end(LOST);
    }

    /** The grant turns out to be unavailable. */
    final boolean markTakenBack() {
        for (;;) {
            int now = state;
            if (now != HELD && now != SUSPECT) {
                return false;
            }
            if (STATE.compareAndSet(this, now, REFUSED)) {
                return true;
            }
        }
    }

    /** It was given back, but turns out to have been lost earlier. */
    final boolean markLostAtRelease() {
        for (;;) {
            int now = state;
            if (now != RELEASED && now != RELEASED_IN_DOUBT) {
                return false;
            }
            if (STATE.compareAndSet(this, now, LOST)) {
                return true;
            }
        }
    }

    public final boolean markReleased() {
        return end(RELEASED);
    }

    /** Like {@link #markReleased}, for a hold under which nothing has run. */
    public final boolean markReleasedUnused() {
        return end(RELEASED_UNUSED);
    }

    private boolean end(int last) {
        for (;;) {
            int now = state;
            if (now != HELD && now != SUSPECT) {
                return false;
            }
            if (STATE.compareAndSet(this, now, last == RELEASED && now == SUSPECT ? RELEASED_IN_DOUBT : last)) {
                return true;
            }
        }
    }

    /** Released by a user that may have worked under it. */
    public final boolean released() {
        int now = state;
        return now == RELEASED || now == RELEASED_IN_DOUBT;
    }

    /** Released while suspect: the next holder should get a grant of its own. */
    public final boolean releasedInDoubt() {
        return state == RELEASED_IN_DOUBT;
    }

    /** Released by a user before it did anything under it. */
    public final boolean releasedUnused() {
        return state == RELEASED_UNUSED;
    }

    public final boolean inDoubt() {
        int now = state;
        return now == SUSPECT || now == RELEASED_IN_DOUBT;
    }

    /** Code inside a scope of it wants it too. To be called before that user is added. */
    final void markJoined() {
        joined = true;
    }

    /** For its last user: whether it was used, even if that user has run nothing under it. */
    public final boolean joined() {
        return joined;
    }

    /** A thread that reads the state after this sees everything written before it. */
    final void publish() {
        int now;
        do {
            now = state;
        } while (!STATE.compareAndSet(this, now, now));
    }

    public final boolean waiting() {
        return state == WAITING;
    }

    /** Granted, and not noticed to be lost or released: the deadline is not checked. */
    public final boolean live() {
        int now = state;
        return now == HELD || now == SUSPECT;
    }

    public final boolean markedLost() {
        return state == LOST;
    }

    /** Whether the wait ended without the lock. */
    public final boolean refused() {
        return state == REFUSED;
    }
}
