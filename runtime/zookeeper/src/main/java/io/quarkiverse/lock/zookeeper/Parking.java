package io.quarkiverse.lock.zookeeper;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/** What waits for a session. Each hears once: that there is one, or why there is none. */
final class Parking {

    /** What waits for a session. */
    interface Parked {

        /** There is one now. */
        void resume();

        /** There will be none that is of use until somebody changes something. */
        void refused(Refused refusal);
    }

    /** Why a session is of no use. */
    record Refused(int rc, String path, @Nullable String format, int shortTimeoutMillis) {
    }

    private final Set<Parked> parked = ConcurrentHashMap.newKeySet();

    void add(Parked waiting) {
        parked.add(waiting);
    }

    void remove(Parked waiting) {
        parked.remove(waiting);
    }

    void resumeAll() {
        for (Parked each : parked) {
            if (parked.remove(each)) {
                each.resume();
            }
        }
    }

    void refuseAll(Refused refusal) {
        for (Parked each : parked) {
            if (parked.remove(each)) {
                each.refused(refusal);
            }
        }
    }
}
