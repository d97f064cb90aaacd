package io.quarkiverse.lock.zookeeper.session;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.quarkiverse.lock.zookeeper.errors.Refusal;

/** The waiters for a session. Each is called once: when there is one, or when there will be none. */
public final class SessionWaiters {

    /** What waits for a session. */
    public interface Waiter {

        /** There is a session now. */
        void resume();

        /** No session can be used until somebody changes something. */
        void refused(Refusal refusal);
    }

    private final Set<Waiter> parked = ConcurrentHashMap.newKeySet();

    void add(Waiter waiting) {
        parked.add(waiting);
    }

    void remove(Waiter waiting) {
        parked.remove(waiting);
    }

    void resumeAll() {
        for (Waiter each : parked) {
            if (parked.remove(each)) {
                each.resume();
            }
        }
    }

    void refuseAll(Refusal refusal) {
        for (Waiter each : parked) {
            if (parked.remove(each)) {
                each.refused(refusal);
            }
        }
    }
}
