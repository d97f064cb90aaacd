package io.quarkiverse.lock.zookeeper;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/** What waits for a session. Each hears once: that there is one, or why there is none. */
final class SessionWaiters {

    /** What waits for a session. */
    interface SessionWaiter {

        /** There is one now. */
        void resume();

        /** There will be none that is of use until somebody changes something. */
        void refused(Refusal refusal);
    }

    /** Why a session is of no use. */
    record Refusal(int rc, String path, @Nullable String format, int shortTimeoutMillis) {
    }

    private final Set<SessionWaiter> parked = ConcurrentHashMap.newKeySet();

    void add(SessionWaiter waiting) {
        parked.add(waiting);
    }

    void remove(SessionWaiter waiting) {
        parked.remove(waiting);
    }

    void resumeAll() {
        for (SessionWaiter each : parked) {
            if (parked.remove(each)) {
                each.resume();
            }
        }
    }

    void refuseAll(Refusal refusal) {
        for (SessionWaiter each : parked) {
            if (parked.remove(each)) {
                each.refused(refusal);
            }
        }
    }
}
