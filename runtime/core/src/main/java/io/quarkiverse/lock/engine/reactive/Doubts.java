package io.quarkiverse.lock.engine.reactive;

import java.util.List;
import java.util.concurrent.Executor;

import io.quarkiverse.lock.engine.acquire.CallerRuns;
import io.quarkiverse.lock.engine.lease.Validity;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.thread.CallerThreads;

/** Clocks that have diverged lose no lock: the backend is asked whether it is still held. No thread waits for the answer. */
final class Doubts {

    private Doubts() {
    }

    /**
     * Calls back where the caller is, once the backend has been asked about what is {@linkplain Validity#unconfirmed
     * unconfirmed}; at once if nothing is. It may have been lost then, or still be unconfirmed.
     */
    static void settle(Held held, Validity validity, CallerThreads threads, Runnable then) {
        List<LockHold> unconfirmed = validity.unconfirmed(held);
        if (unconfirmed.isEmpty()) {
            then.run();
            return;
        }
        Executor here = threads.here();
        validity.confirm(unconfirmed, () -> CallerRuns.run(here, then));
    }
}
