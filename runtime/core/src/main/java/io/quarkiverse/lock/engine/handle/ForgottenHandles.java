package io.quarkiverse.lock.engine.handle;

import java.lang.ref.Cleaner;
import java.util.concurrent.locks.ReentrantLock;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.queue.HandOver;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.text.PrintableName;

/** Releases locks whose handles became unreachable, so that a programming error does not hold a lock for ever. */
public final class ForgottenHandles {

    private static final Logger LOG = Logger.getLogger(ForgottenHandles.class);

    private final LockTime time;
    private final HandOver handOver;
    private final ReentrantLock making = new ReentrantLock();
    private volatile @Nullable Cleaner cleaner;

    public ForgottenHandles(LockTime time, HandOver handOver) {
        this.time = time;
        this.handOver = handOver;
    }

    public Watch watch(Object handle, Held held) {
        Watch watch = new Watch(held);
        watch.cleanable = cleaner().register(handle, watch);
        return watch;
    }

    private Cleaner cleaner() {
        Cleaner known = cleaner;
        if (known == null) {
            making.lock();
            try {
                known = cleaner;
                if (known == null) {
                    known = Cleaner.create();
                    cleaner = known;
                }
            } finally {
                making.unlock();
            }
        }
        return known;
    }

    /** Knows the holds but not the handle. */
    public final class Watch implements Runnable {

        final Held held;
        /** Whoever has the handle sees it: it is written before the handle's final reference to this. */
        private Cleaner.@Nullable Cleanable cleanable;
        /** For the thread that sets it: no other thread runs this after it has called {@code clean()}. */
        private boolean released;

        Watch(Held held) {
            this.held = held;
        }

        /** Must be called only once. */
        void released() {
            released = true;
            cleanable.clean();
        }

        @Override
        public void run() {
            for (int i = 0; !released && i < held.size(); i++) {
                release(held.get(i));
            }
        }

        /** Also if it was lost: the backend may keep something of it, and whoever follows it waits for its end. */
        private void release(LockHold hold) {
            if (hold.live()) {
                LOG.warnf("The handle of lock '%s', fencing token %d, was dropped without a release; releasing it now",
                        PrintableName.of(hold.name()), hold.fencingToken());
            }
            time.schedule(0, () -> handOver.leave(hold)); // a release may do too much for the Cleaner's thread
        }
    }
}
